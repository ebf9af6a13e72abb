package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"paddock/config"
	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/engine/server"
	"paddock/hardware"
	"paddock/words"
)

type checkCommand struct {
	Model string `arg:"" help:"${model}"`
	planFlags
	Build   int    `placeholder:"N" help:"${checkBuild}"`
	Root    string `placeholder:"DIR" type:"existingdir" help:"${checkRoot}"`
	Measure bool   `help:"${checkMeasure}"`
}

// A checkup is everything known of a plan before it is started.
type checkup struct {
	model   library.Model
	pairs   library.Companions // of the model, found near it
	given   plan.Given
	plan    plan.Plan
	choices []plan.Choice
	verdict plan.Verdict
	memory  budget.Verdict
	source  string // of memory
	// remedies make it fit, where it does not.
	remedies []budget.Remedy
}

func (c *checkCommand) Run(s *session) error {
	m, err := s.model(c.Model)
	if err != nil {
		return err
	}
	var machine hardware.Snapshot
	var devices []build.Device
	if c.Root != "" {
		if machine, devices, err = recorded(c.Root); err != nil {
			return err
		}
		if len(devices) == 0 && len(machine.GPUs) > 0 {
			s.complain(words.Of("cli.recording.no-devices", map[string]any{"Folder": gguf.Printable(c.Root)}))
		}
	}
	b, err := s.build()
	if err != nil && (s.Engine != "" || c.Build == 0) {
		return err
	}
	usable := err == nil
	if c.Root == "" {
		machine = hardware.Live()
		if usable {
			if devices, err = s.devices(b, c.RPC); err != nil {
				return err
			}
		}
	}
	judged := b
	if c.Build != 0 {
		judged = build.Build{Number: c.Build} // of which nothing was tried here
	}
	asked, err := c.plan(devices)
	if err != nil {
		return err
	}
	check, err := s.newCheckup(m, asked, machine, devices, judged, c.TryAgain)
	if err != nil {
		return err
	}
	// The devices of a recorded machine are not here to measure on.
	if usable && (c.Root == "" || check.plan.Devices == plan.CPU) {
		if err := s.measure(&check, b, machine); err != nil {
			return err
		}
	} else {
		check.estimate(machine)
	}
	if s.JSON {
		s.write(check.document())
	} else {
		s.printCheckup(check)
	}
	switch {
	case !check.verdict.Valid():
		return statusError(Refused)
	case check.memory.Fit == budget.DoesNotFit:
		return statusError(DoesNotFit)
	}
	return nil
}

// newCheckup completes a plan with what is near its model, and holds it against
// the rules, and unless it is to be tried again against what failed here before.
func (s *session) newCheckup(m library.Model, asked plan.Plan, machine hardware.Snapshot, devices []build.Device, b build.Build, tryAgain bool) (checkup, error) {
	pairs, beside, unpaired, err := s.beside(m, &asked)
	if err != nil {
		return checkup{}, err
	}
	c := checkup{model: m, pairs: pairs, given: plan.Given{
		Model: m.Facts, Beside: beside, Unpaired: unpaired, Devices: devices,
		Integrated: budget.Integrated(machine, devices), Build: b.Number,
	}}
	if b.ID != "" && !tryAgain {
		store, err := s.store()
		if err != nil {
			return checkup{}, err
		}
		c.given.Failed = config.OpenTrials(store.Folders().Cache).Failed(trialOf(m.Facts, b, devices))
	}
	c.plan, c.choices = plan.Complete(asked, c.given)
	c.verdict = plan.Check(c.plan, c.given)
	return c, nil
}

// devices are those of a build and of other computers, which are asked first
// whether they are there.
func (s *session) devices(b build.Build, servers string) ([]build.Device, error) {
	if err := build.Reach(s.ctx, servers); err != nil {
		return nil, err
	}
	return b.DevicesWith(s.ctx, servers)
}

// measure adds what a valid plan needs. That the engine can't say so stops
// nothing: it is said, and what follows from the file counts instead. The error is
// that of an interruption, or of files the engine can't load.
func (s *session) measure(c *checkup, b build.Build, machine hardware.Snapshot) error {
	if !c.verdict.Valid() {
		return nil
	}
	var fault *server.Failure
	memory, err := budget.Measure(s.ctx, b, c.request())
	switch {
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case errors.As(err, &fault):
		return err
	case err != nil:
		s.complain(words.Error(err))
		c.estimate(machine)
		return nil
	}
	c.judge(memory, machine)
	return nil
}

// estimate adds what a valid plan needs by its files' headers.
func (c *checkup) estimate(machine hardware.Snapshot) {
	if c.verdict.Valid() {
		c.judge(budget.Estimate(c.request()), machine)
	}
}

func (c *checkup) request() budget.Request {
	return budget.Request{Plan: c.plan, Given: c.given}
}

func (c *checkup) judge(memory budget.Memory, machine hardware.Snapshot) {
	situation := budget.Situation{Machine: machine, Devices: c.given.Devices}
	c.source, c.memory = memory.Source, budget.Judge(memory, situation)
	if c.memory.Fit == budget.DoesNotFit {
		c.remedies = budget.Remedies(c.request(), situation)
	}
}

// noRoom says what a plan that does not fit has no room for.
func (c *checkup) noRoom() error {
	e := spaceError{file: filepath.Base(c.model.Facts.Path), remedies: remediesInWords(c.plan, c.remedies)}
	if c.memory.TooLarge != "" {
		e.pool, e.tooLarge = c.memory.TooLarge, true
		return e
	}
	for _, pool := range c.memory.Pools {
		if pool.Fit == budget.DoesNotFit {
			e.pool, e.neededBytes, e.usableBytes = pool.ID, pool.NeededBytes, pool.UsableBytes
			break
		}
	}
	return e
}

// finding is a rule that holds, in words.
type finding struct {
	Rule    string `json:"rule"`
	Setting string `json:"setting"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
	Source  string `json:"source"`
	// Fallback are the settings, by their names in the plan, that are loaded with
	// instead when a caution comes true.
	Fallback map[string]string `json:"fallback,omitempty"`
}

func inWords(findings []plan.Finding) []finding {
	list := []finding{}
	for _, f := range findings {
		sentence := words.Finding(f)
		list = append(list, finding{f.Rule, f.Setting, sentence.Message, sentence.Remedy, f.Source, f.Fallback})
	}
	return list
}

// document is the checkup as JSON.
func (c checkup) document() any {
	arguments := []string{}
	if c.verdict.Valid() {
		arguments = plan.Arguments(c.plan)
	}
	pools := c.memory.Pools
	if pools == nil {
		pools = []budget.PoolVerdict{}
	}
	var fits *bool
	if c.source != "" {
		fit := c.memory.Fit != budget.DoesNotFit
		fits = &fit
	}
	choices := []plan.Choice{}
	for _, choice := range c.choices {
		choice.Reason = words.T(choice.Reason)
		choices = append(choices, choice)
	}
	return map[string]any{
		"model":     pairedRow(c.model, c.pairs),
		"valid":     c.verdict.Valid(),
		"refusals":  inWords(c.verdict.Refusals),
		"cautions":  inWords(c.verdict.Cautions),
		"offers":    offersOf(plan.Offers(c.plan, c.given)),
		"plan":      c.plan,
		"choices":   choices,
		"build":     c.given.Build,
		"arguments": arguments,
		"memory":    map[string]any{"source": c.source, "pools": pools},
		"fits":      fits,
		"fit":       c.memory.Fit,
		"tooLarge":  c.memory.TooLarge,
		"remedies":  remediesInWords(c.plan, c.remedies),
	}
}

// offersOf are the values that may be chosen with the rest of a plan, by setting.
func offersOf(o plan.Offered) map[string][]string {
	spec := plan.ValidValues(o.Spec)
	for i, method := range spec {
		spec[i] = specName(method)
	}
	return map[string][]string{
		"purpose": plan.ValidValues(o.Purpose), "split": plan.ValidValues(o.Split), "spec": spec,
		"draft": plan.ValidValues(o.Draft), "projector": plan.ValidValues(o.Projector),
		"cacheK": plan.ValidValues(o.CacheK), "cacheV": plan.ValidValues(o.CacheV),
		"draftCacheK": plan.ValidValues(o.DraftCacheK), "draftCacheV": plan.ValidValues(o.DraftCacheV),
		"flashAttn": plan.ValidValues(o.FlashAttn), "projectorDevice": plan.ValidValues(o.ProjectorDevice),
	}
}

func (s *session) printCheckup(c checkup) {
	f := c.model.Facts
	parameters := ""
	if f.Parameters > 0 {
		parameters = words.Parameters(f.Parameters)
	}
	known := slices.DeleteFunc([]string{
		gguf.Printable(f.Name), gguf.Printable(f.Architecture), parameters, f.Quantisation,
	}, func(text string) bool { return text == "" })
	s.print("%s\n", strings.Join(known, " · "))
	for _, finding := range c.verdict.Refusals {
		sentence := words.Finding(finding)
		s.print("%s %s\n", words.T("cli.check.refused", map[string]any{"Message": sentence.Message}), sentence.TerminalRemedy)
	}
	for _, finding := range c.verdict.Cautions {
		sentence := words.Finding(finding)
		s.print("%s %s\n", words.T("cli.check.caution", map[string]any{"Message": sentence.Message}), sentence.Remedy)
		if flags := fallbackFlags(finding.Fallback); len(flags) > 0 {
			s.print("%s\n", words.T("cli.check.fallback", map[string]any{"Flags": words.Shell(flags)}))
		}
	}
	if !c.verdict.Valid() {
		return
	}
	for _, choice := range c.choices {
		s.print("%s\n", words.T("cli.check.chosen", map[string]any{
			"Setting": choice.Setting, "Value": gguf.Printable(choice.Value), "Reason": words.T(choice.Reason),
		}))
	}
	for _, pool := range c.memory.Pools {
		s.printPool(pool)
	}
	if c.memory.TooLarge != "" {
		s.print("%s\n", words.T("cli.check.too-large", map[string]any{"Device": c.memory.TooLarge}))
	}
	for _, remedy := range remediesInWords(c.plan, c.remedies) {
		s.print("%s\n", remedy.text())
	}
	if c.memory.Fit == budget.DoesNotFit && len(c.remedies) == 0 {
		s.print("%s\n", words.T("cli.check.no-remedy"))
	}
	s.print("%s\n", words.T("cli.check.arguments", map[string]any{"Arguments": words.Shell(plan.Arguments(c.plan))}))
}

// printPool says what a plan needs of a pool. RAM that an integrated card takes
// is named, because without it the sum would not show why a plan doesn't fit.
func (s *session) printPool(pool budget.PoolVerdict) {
	if !pool.Known {
		s.print("%s\n", words.T("cli.check.pool.unknown", map[string]any{"Pool": pool.ID, "Needed": words.GiB(pool.NeededBytes)}))
		return
	}
	shared := ""
	if pool.SharedBytes > 0 {
		shared = words.GiB(pool.SharedBytes)
	}
	s.print("%s\n", words.T("cli.check.pool", map[string]any{
		"Pool": pool.ID, "Needed": words.GiB(pool.NeededBytes), "Shared": shared, "Usable": words.GiB(pool.UsableBytes),
		"Fit": words.T("cli.fit." + string(pool.Fit)),
	}))
}
