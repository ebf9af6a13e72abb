package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"paddock/cli"
)

// completions writes what bash, zsh and fish need to finish words.
func completions(app tree) error {
	g := cli.Grammar()
	for path, text := range map[string][]byte{
		"usr/share/bash-completion/completions/paddock":    bash(g),
		"usr/share/zsh/vendor-completions/_paddock":        zsh(g),
		"usr/share/fish/vendor_completions.d/paddock.fish": fish(g),
	} {
		if err := app.write(path, text); err != nil {
			return err
		}
	}
	return nil
}

// commandNames are the commands, for a shell's list of words.
func commandNames(g *kong.Application) string {
	var names []string
	for _, command := range g.Children {
		names = append(names, command.Name)
	}
	return strings.Join(names, " ")
}

// flagNames are flags with their dashes.
func flagNames(flags []*kong.Flag) []string {
	var names []string
	for _, flag := range flags {
		names = append(names, "--"+flag.Name)
		if flag.Short != 0 {
			names = append(names, "-"+string(flag.Short))
		}
	}
	return names
}

// A kind is what a flag's value is.
type kind int

const (
	anything kind = iota
	nothing       // the flag has no value
	oneOf         // of its choices
	folder
	file
)

func kindOf(flag *kong.Flag) kind {
	holder := flag.PlaceHolder
	switch {
	case flag.IsBool():
		return nothing
	case len(choices(flag.Value)) > 0:
		return oneOf
	case holder == "DIR":
		return folder
	case strings.Contains(holder, "FILE") || strings.Contains(holder, "PATH"):
		return file
	}
	return anything
}

// everyFlag is each flag once, by its name: a name means the same in every command.
func everyFlag(g *kong.Application) []*kong.Flag {
	all := g.Flags
	seen := map[string]bool{}
	for _, flag := range all {
		seen[flag.Name] = true
	}
	for _, command := range g.Children {
		for _, flag := range command.Flags {
			if !seen[flag.Name] {
				seen[flag.Name] = true
				all = append(all[:len(all):len(all)], flag)
			}
		}
	}
	return all
}

func bash(g *kong.Application) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# What bash finishes of paddock's command line. Files are left to bash itself.
_paddock() {
	local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= words= i
	# bash takes --flag=value apart at the sign.
	if [ "$current" = = ]; then
		current=
	elif [ "$before" = = ]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		%s)
			command=${COMP_WORDS[i]}
			break
			;;
		esac
	done
	COMPREPLY=()
	case $before in
`, strings.ReplaceAll(commandNames(g), " ", " | "))
	for _, flag := range everyFlag(g) {
		names := strings.Join(flagNames([]*kong.Flag{flag}), " | ")
		switch kindOf(flag) {
		case oneOf:
			fmt.Fprintf(&b, "\t%s)\n\t\tCOMPREPLY=($(compgen -W '%s' -- \"$current\"))\n\t\treturn\n\t\t;;\n", names, strings.Join(choices(flag.Value), " "))
		case folder:
			fmt.Fprintf(&b, "\t%s)\n\t\tcompopt -o nospace -o filenames 2>/dev/null\n\t\tCOMPREPLY=($(compgen -d -- \"$current\"))\n\t\treturn\n\t\t;;\n", names)
		case file, anything:
			fmt.Fprintf(&b, "\t%s) return ;;\n", names)
		}
	}
	b.WriteString("\tesac\n\tcase $current in\n\t-*)\n\t\tcase $command in\n")
	fmt.Fprintf(&b, "\t\t'') words='%s' ;;\n", strings.Join(flagNames(g.Flags), " "))
	for _, command := range g.Children {
		fmt.Fprintf(&b, "\t\t%s) words='%s' ;;\n", command.Name, strings.Join(append(flagNames(command.Flags), flagNames(g.Flags)...), " "))
	}
	fmt.Fprintf(&b, `		esac
		;;
	*) [ -n "$command" ] || words='%s' ;;
	esac
	COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _paddock paddock
`, commandNames(g))
	return b.Bytes()
}

func zsh(g *kong.Application) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "#compdef paddock\n# What zsh finishes of paddock's command line.\n\n_paddock_first() {\n\tlocal -a commands=(\n")
	for _, command := range g.Children {
		fmt.Fprintf(&b, "\t\t%s\n", zshQuoted(command.Name+":"+strings.ReplaceAll(command.Help, ":", `\:`)))
	}
	b.WriteString("\t)\n\t_describe -t commands command commands\n\t_files\n}\n\n_paddock() {\n\tlocal curcontext=$curcontext state line\n\ttypeset -A opt_args\n\tlocal -a shared=(\n")
	zshFlags(&b, g.Flags)
	b.WriteString("\t)\n\t_arguments -C $shared '1:command or file:_paddock_first' '*::argument:->rest' && return\n\t[[ $state = rest ]] || return\n\tcase $words[1] in\n")
	for _, command := range g.Children {
		fmt.Fprintf(&b, "\t%s)\n\t\tlocal -a own=(\n", command.Name)
		zshFlags(&b, command.Flags)
		b.WriteString("\t\t)\n\t\t_arguments $shared $own '*:file:_files'\n\t\t;;\n")
	}
	b.WriteString("\t*) _arguments $shared '*:file:_files' ;;\n\tesac\n}\n\n_paddock \"$@\"\n")
	return b.Bytes()
}

func zshFlags(b *bytes.Buffer, flags []*kong.Flag) {
	special := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`)
	for _, flag := range flags {
		help := "[" + special.Replace(flag.Help) + "]"
		value := ""
		switch kindOf(flag) {
		case nothing:
		case oneOf:
			value = ":value:(" + strings.Join(choices(flag.Value), " ") + ")"
		case folder:
			value = ":folder:_files -/"
		case file:
			value = ":file:_files"
		default:
			value = ":" + special.Replace(flag.FormatPlaceHolder()) + ": "
		}
		for _, name := range flagNames([]*kong.Flag{flag}) {
			if value != "" {
				name += "="
			}
			fmt.Fprintf(b, "\t\t\t%s\n", zshQuoted("*"+name+help+value))
		}
	}
}

func zshQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func fish(g *kong.Application) []byte {
	var b bytes.Buffer
	b.WriteString("# What fish finishes of paddock's command line.\n")
	for _, command := range g.Children {
		fmt.Fprintf(&b, "complete -c paddock -n __fish_use_subcommand -a %s -d %s\n", command.Name, fishQuoted(command.Help))
	}
	fishFlags(&b, "", g.Flags)
	for _, command := range g.Children {
		fishFlags(&b, " -n '__fish_seen_subcommand_from "+command.Name+"'", command.Flags)
	}
	return b.Bytes()
}

func fishFlags(b *bytes.Buffer, condition string, flags []*kong.Flag) {
	for _, flag := range flags {
		fmt.Fprintf(b, "complete -c paddock%s -l %s", condition, flag.Name)
		if flag.Short != 0 {
			fmt.Fprintf(b, " -s %c", flag.Short)
		}
		switch kindOf(flag) {
		case nothing:
		case oneOf:
			fmt.Fprintf(b, " -x -a '%s'", strings.Join(choices(flag.Value), " "))
		case folder:
			b.WriteString(" -x -a '(__fish_complete_directories)'")
		case file:
			b.WriteString(" -r -F")
		default:
			b.WriteString(" -x")
		}
		fmt.Fprintf(b, " -d %s\n", fishQuoted(flag.Help))
	}
}

func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
