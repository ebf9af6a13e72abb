package cli

import (
	"context"
	"slices"
	"strings"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
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
	plan    plan.Plan
	choices []plan.Choice
	verdict plan.Verdict
	number  int // of the build the rules were held for
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
			if devices, err = b.Devices(s.ctx); err != nil {
				return err
			}
		}
	}
	asked, err := c.plan(devices)
	if err != nil {
		return err
	}
	number := c.Build
	if number == 0 {
		number = b.Number
	}
	check := newCheckup(m, asked, devices, number)
	// The devices of a recorded machine are not here to measure on.
	if usable && (c.Root == "" || check.plan.Devices == plan.CPU) {
		if err := s.measure(&check, b, machine, devices); err != nil {
			return err
		}
	} else {
		check.estimate(machine, devices)
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

func newCheckup(m library.Model, asked plan.Plan, devices []build.Device, number int) checkup {
	c := checkup{model: m, number: number}
	c.plan, c.choices = plan.Complete(asked, m.Facts, devices)
	c.verdict = plan.Check(c.plan, m.Facts, number)
	return c
}

// measure adds what a valid plan needs. That the engine can't say so stops
// nothing: it is said, and what follows from the file counts instead. The error is
// that of an interruption.
func (s *session) measure(c *checkup, b build.Build, machine hardware.Snapshot, devices []build.Device) error {
	if !c.verdict.Valid() {
		return nil
	}
	memory, err := budget.MeasureRequest(s.ctx, b, c.request(devices))
	switch {
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case err != nil:
		s.complain(words.Error(err))
		c.estimate(machine, devices)
		return nil
	}
	c.judge(memory, machine, devices)
	return nil
}

// estimate adds what a valid plan needs by its files' headers.
func (c *checkup) estimate(machine hardware.Snapshot, devices []build.Device) {
	if c.verdict.Valid() {
		c.judge(budget.Estimate(c.request(devices)), machine, devices)
	}
}

func (c *checkup) request(devices []build.Device) budget.Request {
	return budget.Request{Plan: c.plan, Model: c.model.Facts, Devices: devices}
}

func (c *checkup) judge(memory budget.Memory, machine hardware.Snapshot, devices []build.Device) {
	situation := budget.Situation{Machine: machine, Devices: devices}
	c.source, c.memory = memory.Source, budget.Judge(memory, situation)
	if c.memory.Fit == budget.DoesNotFit {
		c.remedies = budget.Remedies(c.request(devices), situation, c.number)
	}
}

// finding is a rule that holds, in words.
type finding struct {
	Rule    string `json:"rule"`
	Setting string `json:"setting"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
	Source  string `json:"source"`
}

func inWords(findings []plan.Finding) []finding {
	list := []finding{}
	for _, f := range findings {
		sentence := words.Finding(f)
		list = append(list, finding{f.Rule, f.Setting, sentence.Message, sentence.Remedy, f.Source})
	}
	return list
}

// document is the checkup as JSON.
func (c checkup) document() any {
	offered := plan.Offers(c.plan, c.model.Facts, c.number)
	offers := map[string][]string{
		"cacheK": plan.ValidValues(offered.CacheK), "cacheV": plan.ValidValues(offered.CacheV),
		"flashAttn": plan.ValidValues(offered.FlashAttn),
		"split":     {}, "spec": {}, "projectorDevice": {},
	}
	arguments := []string{}
	if c.verdict.Valid() {
		offers["split"], offers["spec"] = []string{c.plan.Split()}, []string{"none"}
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
		"model":     rowOf(c.model),
		"valid":     c.verdict.Valid(),
		"refusals":  inWords(c.verdict.Refusals),
		"cautions":  inWords(c.verdict.Cautions),
		"offers":    offers,
		"plan":      c.plan,
		"choices":   choices,
		"build":     c.number,
		"arguments": arguments,
		"memory":    map[string]any{"source": c.source, "pools": pools},
		"fits":      fits,
		"fit":       c.memory.Fit,
		"tooLarge":  c.memory.TooLarge,
		"remedies":  remediesInWords(c.plan, c.remedies),
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
		s.print("%s %s\n", words.T("cli.check.refused", map[string]any{"Message": sentence.Message}), sentence.Remedy)
	}
	for _, finding := range c.verdict.Cautions {
		sentence := words.Finding(finding)
		s.print("%s %s\n", words.T("cli.check.caution", map[string]any{"Message": sentence.Message}), sentence.Remedy)
	}
	if !c.verdict.Valid() {
		return
	}
	for _, choice := range c.choices {
		s.print("%s\n", words.T("cli.check.chosen", map[string]any{
			"Setting": choice.Setting, "Value": choice.Value, "Reason": words.T(choice.Reason),
		}))
	}
	for _, pool := range c.memory.Pools {
		s.printPool(pool)
	}
	if c.memory.TooLarge != "" {
		s.print("%s\n", words.T("cli.check.too-large", map[string]any{"Device": c.memory.TooLarge}))
	}
	for _, remedy := range remediesInWords(c.plan, c.remedies) {
		s.print("%s\n", words.T("cli.check.remedy", map[string]any{"Message": remedy.Message, "Flags": shellWords(remedy.Flags)}))
	}
	if c.memory.Fit == budget.DoesNotFit && len(c.remedies) == 0 {
		s.print("%s\n", words.T("cli.check.no-remedy"))
	}
	s.print("%s\n", words.T("cli.check.arguments", map[string]any{"Arguments": shellWords(plan.Arguments(c.plan))}))
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
