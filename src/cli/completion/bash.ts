/**
 * Completion for bash, version 3.2 and later: macOS still ships 3.2, so the script uses no associative arrays. It
 * needs no bash-completion package and never runs `waxwing` during completion.
 */
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
} from "./declared.ts";

export function bashScript(commands: readonly Command[], summaries: ReadonlyMap<string, string>): string {
  const following = [...nextWords(commands, summaries)].map(
    ([words, next]) => `    ${quote(words)}) next=${quote(next.map(({ word }) => word).join(" "))} ;;`,
  );
  const options = commands.map(
    (command) =>
      `    ${quote(nameOf(command))}) options=${quote(
        ownOptions(command)
          .map(({ flag }) => flag)
          .join(" "),
      )} ;;`,
  );
  const values = [
    ...everywhere.flatMap((option) => valueCase("*", option)),
    ...commands.flatMap((command) =>
      ownOptions(command).flatMap((option) => valueCase(quote(nameOf(command)), option)),
    ),
  ];
  const positionals = commands.flatMap((command) =>
    positionalsOf(command).map(
      (completion, place) => `    ${quote(`${nameOf(command)} ${place}`)}) value=${quote(inWords(completion))} ;;`,
    ),
  );
  return `# Completion of ${PROGRAM} for bash. In ~/.bashrc: source <(${PROGRAM} completion bash)

# The words that may follow the command's words $1; none where the command is complete.
_waxwing_next() {
  case $1 in
${following.join("\n")}
    *) next='' ;;
  esac
}

# The options of the command $1.
_waxwing_options() {
  case $1 in
${options.join("\n")}
    *) options='' ;;
  esac
  options="$options ${everywhere.map(({ flag }) => flag).join(" ")}"
}

# What the option $2 of the command $1 takes: file, directory, any, or the words to choose from; empty for a flag.
_waxwing_value() {
  case "$1 $2" in
${values.join("\n")}
    *) value='' ;;
  esac
}

# The same for the value at place $2 behind the command's words $1.
_waxwing_positional() {
  case "$1 $2" in
${positionals.join("\n")}
    *) value='' ;;
  esac
}

_waxwing() {
  local current=\${COMP_WORDS[COMP_CWORD]} command='' used=' ' value='' next options word
  local repeated=' ${repeatedFlags(commands).join(" ")} '
  local i place=0 literal=''
  COMPREPLY=()
  # \`value\` is what the option before takes. bash takes --option=value and host:port apart at the = and the colon.
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == = && -n $value ]]; then continue; fi
    if [[ $word == = || $word == :* ]]; then value='' && i=$((i + 1)) && continue; fi
    if [[ -n $value ]]; then value='' && continue; fi
    if [[ $word == -- && -z $literal ]]; then literal=yes && continue; fi
    if [[ $word == -?* && -z $literal ]]; then
      used="$used$word "
      _waxwing_value "$command" "$word"
      continue
    fi
    _waxwing_next "$command"
    if [[ -z $command && $word == help ]]; then continue; fi
    if [[ -n $next ]]; then command="\${command:+$command }$word"; else place=$((place + 1)); fi
  done
  if ((i > COMP_CWORD)); then return; fi
  if [[ $current == = ]]; then current=''; fi
  if [[ -z $value ]]; then
    _waxwing_next "$command"
    if [[ $current == -* && -z $literal ]]; then value=options
    elif [[ -n $next ]]; then value=$next
    else _waxwing_positional "$command" "$place"; fi
    if [[ -z $value && -z $literal ]]; then value=options; fi
  fi
  case $value in
    any | '') ;;
    file | directory)
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -A "$value" -- "$current")
      ;;
    options)
      _waxwing_options "$command"
      for word in $options; do
        if [[ $word == "$current"* && ( $used != *" $word "* || $repeated == *" $word "* ) ]]; then COMPREPLY+=("$word"); fi
      done
      ;;
    *)
      for word in $value; do
        if [[ $word == "$current"* ]]; then COMPREPLY+=("$word"); fi
      done
      ;;
  esac
}

complete -F _waxwing ${PROGRAM}
`;
}

function valueCase(command: string, { flag, completion }: DeclaredOption): string[] {
  return completion.kind === "none" ? [] : [`    ${command}' ${flag}') value=${quote(inWords(completion))} ;;`];
}

function inWords(completion: Completion): string {
  return completion.kind === "words" ? completion.words.join(" ") : completion.kind;
}
