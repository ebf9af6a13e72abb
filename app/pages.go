package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// The pages' ids.
const (
	pageModels   = "models"
	pageLoad     = "load"
	pageGet      = "get"
	pageChat     = "chat"
	pageImages   = "images"
	pageVectors  = "embeddings"
	pageHardware = "hardware"
	pageSettings = "settings"
)

// A page is a tab and its place in the window. The tab is made when it is first
// needed.
type page struct {
	id    string
	title string
	icon  theme.IconName
	under string // id of the rail's item it belongs to, when it has none of its own
	last  bool   // at the rail's lower end
	make  func() widgets.Tab

	tab    widgets.Tab
	onView bool // the tab has been told so
}

// allPages are the window's pages in the order of the rail. A page more is an
// entry more.
func (w *Window) allPages() []*page {
	return []*page{
		{id: pageModels, icon: theme.IconLayers, title: words.T("shell.models"), make: w.newModels},
		{id: pageLoad, under: pageModels, make: w.newLoad},
		{id: pageGet, under: pageModels, make: w.newGet},
		{id: pageChat, icon: theme.IconChat, title: words.T("shell.chat"), make: w.newChat},
		{id: pageImages, icon: theme.IconImage, title: words.T("shell.images"), make: w.newImages},
		{id: pageVectors, icon: theme.IconNodes, title: words.T("shell.embeddings"), make: w.newEmbeddings},
		{id: pageHardware, icon: theme.IconChip, title: words.T("shell.hardware"), make: w.newHardware},
		{id: pageSettings, icon: theme.IconSliders, title: words.T("shell.settings"), make: w.newSettings, last: true},
	}
}

func (w *Window) page(id string) *page {
	for _, p := range w.pages {
		if p.id == id {
			return p
		}
	}
	panic("no page called " + id)
}

// tab makes a page's tab when it is first needed.
func (w *Window) tab(p *page) widgets.Tab {
	if p.tab == nil {
		p.tab = p.make()
		content := p.tab.Content()
		content.Hide()
		w.stack.Add(content)
	}
	return p.tab
}

// closeTabs gives up what the tabs have running.
func (w *Window) closeTabs() {
	for _, p := range w.pages {
		if tab, ok := p.tab.(interface{ Close() }); ok {
			tab.Close()
		}
	}
}

// GoTo shows a page.
func (w *Window) GoTo(id string) { w.goTo(w.page(id)) }

func (w *Window) goTo(p *page) {
	if p == w.current {
		return
	}
	tab := w.tab(p)
	if w.current != nil {
		if p.id == pageLoad {
			w.setUpIn = w.current.id
		}
		w.current.tab.Content().Hide()
		if w.current.onView {
			w.current.onView = false
			w.current.tab.Hide()
		}
	}
	w.current = p
	w.status.turn()
	if c := w.fyne.Canvas(); c != nil {
		c.Unfocus()
		widgets.HideTip(c)
	}
	tab.Content().Show()
	w.rail.show(p)
	w.showStatus()
	w.showTab(p)
}

// drawnEvery is how often a new tab is looked at for having been drawn.
const drawnEvery = 20 * time.Millisecond

// showTab tells a tab that it is on view, once it has been drawn for the first
// time: only then does Fyne know its canvas, and can give something in it the
// focus.
func (w *Window) showTab(p *page) {
	if w.options.Fyne.Driver().CanvasForObject(p.tab.Content()) == nil {
		time.AfterFunc(drawnEvery, func() {
			w.do(func() {
				if w.current == p && !w.closing {
					w.showTab(p)
				}
			})
		})
		return
	}
	p.tab.Show()
	p.onView = true
	w.showStatus()
	w.log.WithField("tab", p.id).Info("tab shown")
}

// showStatus draws the keys and the fact of the page on view.
func (w *Window) showStatus() {
	fact := w.current.tab.Fact()
	if fact == "" {
		fact = w.engineFact()
	}
	keys := slices.Clone(w.current.tab.Keys())
	for i, k := range keys {
		if strings.HasPrefix(k.Cap, "Ctrl 1…") { // a tab doesn't know how many there are
			keys[i].Cap = fmt.Sprintf("Ctrl 1…%d", len(w.railPages()))
		}
	}
	if w.strip.content.Visible() {
		text := words.T("shell.key.log")
		if w.logs.content.Visible() {
			text = words.T("shell.key.hideLog")
		}
		keys = append(keys, widgets.Key{Cap: "Ctrl L", Text: text})
	}
	w.status.show(keys, fact)
}

// railPages are the pages Ctrl and a number go to, in the order of the rail.
func (w *Window) railPages() []*page {
	var pages []*page
	for _, p := range w.pages {
		if p.under == "" {
			pages = append(pages, p)
		}
	}
	return pages
}

// paths are what was dropped, as paths of this machine.
func paths(uris []fyne.URI) []string {
	var list []string
	for _, u := range uris {
		if u.Scheme() == "file" {
			list = append(list, u.Path())
		}
	}
	return list
}
