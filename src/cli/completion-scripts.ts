/** The scripts that `waxwing completion` prints: in each shell's language, one function that asks the program. */

export const shells = ["bash", "zsh", "fish"] as const;

export const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  // For version 3.2 and later: macOS still ships 3.2.
  bash: `# Completion of waxwing for bash. In ~/.bashrc: source <(waxwing completion bash)

_waxwing() {
  local current=\${COMP_WORDS[COMP_CWORD]} word
  COMPREPLY=()
  # bash takes --option=value apart at the =.
  if [[ $current == = ]]; then current=''; fi
  while IFS=$'\\t' read -r word _; do
    case $word in
      :file | :directory)
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -A "\${word#:}" -- "$current")
        ;;
      "$current"*) COMPREPLY+=("$word") ;;
    esac
  done < <("\${COMP_WORDS[0]/#\\~/$HOME}" __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}

complete -F _waxwing waxwing
`,
  zsh: `#compdef waxwing
# Completion of waxwing for zsh. In ~/.zshrc, after compinit: source <(waxwing completion zsh)

_waxwing() {
  local -a offered
  offered=("\${(@f)$(\${(Q)~words[1]} __complete zsh "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  # Where the value of --option=value is typed.
  if [[ \${words[CURRENT]} == --*=* ]]; then compset -P '*='; fi
  case \${offered[1]} in
    :file) _files ;;
    :directory) _files -/ ;;
    ?*)
      offered=("\${(@)offered//:/\\\\:}")
      offered=("\${(@)offered/$'\\t'/:}")
      _describe waxwing offered
      ;;
  esac
}

if [[ \${funcstack[1]} == _waxwing ]]; then _waxwing "$@"; else compdef _waxwing waxwing; fi
`,
  fish: `# Completion of waxwing for fish. In ~/.config/fish/config.fish: waxwing completion fish | source

function __waxwing_offer
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l offered ($typed[1] __complete fish $typed[2..] "$current" 2>/dev/null)
    # Where the value of --option=value is typed, fish replaces the whole word.
    set -l option (string match -r -- '^--[^=]*=' $current; or echo)
    switch "$offered[1]"
        case :file :directory
            # fish completes a path for a program that it knows nothing about.
            set -l paths (complete -C "__waxwing_no_program "(string replace -- "$option" '' "$current"))
            test "$offered[1]" = :directory; and set paths (string match -- '*/' $paths)
            set offered $paths
    end
    test -n "$offered[1]"; and printf '%s\\n' $option$offered
end

complete -c waxwing -e
complete -c waxwing -f -a '(__waxwing_offer)'
`,
};
