package settings

import (
	"os"
	"slices"

	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/config"
	"paddock/words"
)

// An App is another program whose models can be listed.
type App struct {
	ID     string
	Name   string
	Folder string // one of its folders, one that exists where there is one
	Shown  string // the folder as people write it
	There  bool   // the folder exists
	On     bool   // its models are listed
}

// switched are apps with whether their models are listed.
func switched(apps []App, c config.Config) []App {
	list := slices.Clone(apps)
	for i := range list {
		list[i].On = !slices.Contains(c.AppsOff, list[i].ID)
	}
	return list
}

// LookForApps finds out beside the UI goroutine where other apps keep models, and
// shows it.
func (p *Presenter) LookForApps() {
	if p.hooks.Apps == nil {
		return
	}
	go func() {
		var apps []App
		for _, a := range p.hooks.Apps() {
			app := App{ID: a.ID, Name: a.Name}
			for _, folder := range a.Folders {
				_, err := os.Stat(folder)
				if app.Folder == "" || err == nil {
					app.Folder, app.Shown = folder, words.Path(folder)
				}
				if app.There = err == nil; app.There {
					break
				}
			}
			apps = append(apps, app)
		}
		p.hooks.Do(func() {
			p.apps = apps
			p.Refresh()
		})
	}()
}

// SwitchApp has an app's models listed or not. Nothing of the app is touched.
func (p *Presenter) SwitchApp(id string, on bool) {
	p.update(func(c *config.Config) {
		c.AppsOff = slices.DeleteFunc(c.AppsOff, func(other string) bool { return other == id })
		if !on {
			c.AppsOff = append(c.AppsOff, id)
		}
	}, nil)
}

// Restore puts a file back into the list of models, all of them without a path.
func (p *Presenter) Restore(path string) {
	p.update(func(c *config.Config) {
		c.Forgotten = slices.DeleteFunc(c.Forgotten, func(other string) bool { return path == "" || other == path })
	}, nil)
}

// showApps draws the apps. Where only a tick has changed the rows stay, and with
// them the focus.
func (t *Tab) showApps(before, now []App) {
	alike := func(a, b App) bool {
		a.On = b.On
		return a == b
	}
	if !slices.EqualFunc(before, now, alike) {
		t.appRows.Objects, t.checks = nil, nil
		for _, app := range now {
			t.appRows.Add(t.appRow(app))
		}
	}
	for i, app := range now {
		t.checks[i].SetChecked(app.On)
	}
}

func (t *Tab) appRow(app App) fyne.CanvasObject {
	check := widgets.NewCheck(app.Name, "", func(on bool) { t.SwitchApp(app.ID, on) })
	t.checks = append(t.checks, check)
	objs := []fyne.CanvasObject{
		widgets.Fixed(210, 0, check),
		widgets.Grow(widgets.Text(widgets.Mono, app.Shown).Colour(theme.TextQuiet).Ellipsis()),
	}
	if app.There {
		objs = append(objs, widgets.NewSmallButton(words.T("settings.open"), "", widgets.Plain, func() { t.options.OpenPath(app.Folder) }))
	} else {
		objs = append(objs, widgets.Text(widgets.Quiet, words.T("settings.apps.absent")))
	}
	return row(objs...)
}

// outShown is how many files taken out of the list are listed here. "Restore all"
// takes the others too.
const outShown = 50

func (t *Tab) rowsOfOut(s State) []fyne.CanvasObject {
	var rows []fyne.CanvasObject
	for _, f := range s.Out[:min(len(s.Out), outShown)] {
		rows = append(rows, row(
			widgets.NewIcon(theme.IconFile, theme.TextQuiet, theme.IconSizeButton),
			widgets.Grow(widgets.Text(widgets.Mono, f.Shown).Ellipsis()),
			widgets.NewSmallButton(words.T("settings.out.restore"), "", widgets.Edged, func() { t.Restore(f.Path) })))
	}
	if more := len(s.Out) - outShown; more > 0 {
		rows = append(rows, empty(words.T("settings.out.more", map[string]any{"Count": words.Count(more)})))
	}
	return rows
}
