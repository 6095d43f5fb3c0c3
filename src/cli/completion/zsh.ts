/** Completion for zsh: sourced after `compinit`, or a file `_waxwing` in a directory of `fpath`. */
import { type Command, nameOf } from "../command.ts";
import {
  type Completion,
  type DeclaredOption,
  everywhere,
  nextWords,
  ownOptions,
  PROGRAM,
  positionalsOf,
  quote,
  repeatedFlags,
  type Word,
} from "./declared.ts";

export function zshScript(commands: readonly Command[], summaries: ReadonlyMap<string, string>): string {
  const following = [...nextWords(commands, summaries)].map(([words, next]) => listCase(quote(words), "next", next));
  const options = commands.map((command) => listCase(quote(nameOf(command)), "flags", ownOptions(command).map(asWord)));
  const values = [
    ...everywhere.flatMap((option) => valueCase("*", option)),
    ...commands.flatMap((command) =>
      ownOptions(command).flatMap((option) => valueCase(quote(nameOf(command)), option)),
    ),
  ];
  const positionals = commands.flatMap((command) =>
    positionalsOf(command).map(
      (completion, place) => `    ${quote(`${nameOf(command)} ${place}`)}) value=(${inWords(completion)}) ;;`,
    ),
  );
  return `#compdef ${PROGRAM}
# Completion of ${PROGRAM} for zsh. In ~/.zshrc, after compinit: source <(${PROGRAM} completion zsh)

# The words that may follow the command's words $1; none where the command is complete.
_waxwing_next() {
  next=()
  case $1 in
${following.join("\n")}
  esac
}

# The options of the command $1.
_waxwing_options() {
  flags=()
  case $1 in
${options.join("\n")}
  esac
  flags+=(
${everywhere.map((option) => `    ${entry(asWord(option))}`).join("\n")}
  )
}

# What the option $2 of the command $1 takes: file, directory, any, or words and what to choose from; empty for a flag.
_waxwing_value() {
  value=()
  case "$1 $2" in
${values.join("\n")}
  esac
}

# The same for the value at place $2 behind the command's words $1.
_waxwing_positional() {
  value=()
  case "$1 $2" in
${positionals.join("\n")}
  esac
}

_waxwing() {
  local command='' literal='' word option
  local -a value next flags used unused
  local -a repeated=(${repeatedFlags(commands).join(" ")})
  local -i i place=0
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if ((\${#value})); then value=() && continue; fi
    if [[ $word == -- && -z $literal ]]; then literal=yes && continue; fi
    if [[ $word == -?* && -z $literal ]]; then
      used+=("\${word%%=*}")
      if [[ $word != *=* ]]; then _waxwing_value "$command" "$word"; fi
      continue
    fi
    _waxwing_next "$command"
    if [[ -z $command && $word == help ]]; then continue; fi
    if ((\${#next})); then command="\${command:+$command }$word"; else place+=1; fi
  done
  word=\${words[CURRENT]}
  if ((! \${#value})) && [[ $word == --*=* && -z $literal ]]; then
    _waxwing_value "$command" "\${word%%=*}"
    compset -P '*='
  elif ((! \${#value})); then
    _waxwing_next "$command"
    if [[ $word == -* && -z $literal ]]; then value=(options)
    elif ((\${#next})); then value=(next)
    else _waxwing_positional "$command" "$place"; fi
    if ((! \${#value})) && [[ -z $literal ]]; then value=(options); fi
  fi
  case \${value[1]} in
    file) _files ;;
    directory) _files -/ ;;
    words) compadd -- "\${(@)value[2,-1]}" ;;
    next) _describe command next ;;
    options)
      _waxwing_options "$command"
      for option in "\${flags[@]}"; do
        if ((! \${used[(Ie)\${option%%:*}]} || \${repeated[(Ie)\${option%%:*}]})); then unused+=("$option"); fi
      done
      _describe -o option unused
      ;;
  esac
}

if [[ \${funcstack[1]} == _waxwing ]]; then _waxwing "$@"; else compdef _waxwing ${PROGRAM}; fi
`;
}

function asWord({ flag, description }: DeclaredOption): Word {
  return { word: flag, description };
}

/** As `_describe` reads it: a colon stands between the word and its description. */
function entry({ word, description }: Word): string {
  return quote(`${word}:${description.replaceAll(":", "\\:")}`);
}

function listCase(words: string, variable: string, entries: readonly Word[]): string {
  const lines = entries.map((one) => `      ${entry(one)}`);
  return [`    ${words}) ${variable}=(`, ...lines, "    ) ;;"].join("\n");
}

function valueCase(command: string, { flag, completion }: DeclaredOption): string[] {
  return completion.kind === "none" ? [] : [`    ${command}' ${flag}') value=(${inWords(completion)}) ;;`];
}

function inWords(completion: Completion): string {
  return completion.kind === "words" ? `words ${completion.words.map(quote).join(" ")}` : completion.kind;
}
