/** Completion for fish: one `complete` line for each word and each option, with its description. */
import { type Command, nameOf } from "../command.ts";
import {
  type Completion,
  type DeclaredOption,
  everywhere,
  nextWords,
  ownOptions,
  PROGRAM,
  positionalsOf,
} from "./declared.ts";

export function fishScript(commands: readonly Command[], summaries: ReadonlyMap<string, string>): string {
  const withValue = [...everywhere, ...commands.flatMap(ownOptions)]
    .filter(({ completion }) => completion.kind !== "none")
    .map(({ flag }) => flag);
  const following = [...nextWords(commands, summaries)].flatMap(([words, next]) =>
    next.map(({ word, description }) => line(`__waxwing_is ${words}`, `-a ${quote(word)} -d ${quote(description)}`)),
  );
  const rest = commands.flatMap((command) => {
    const runs = `__waxwing_runs ${nameOf(command)}`;
    return [
      ...positionalsOf(command).flatMap((completion, place) => {
        const suggested = suggestions(completion);
        return suggested === ""
          ? []
          : [line(`${runs}; and __waxwing_is ${nameOf(command)}${" '*'".repeat(place)}`, suggested)];
      }),
      ...ownOptions(command).map((option) => line(runs, optionWords(option))),
    ];
  });
  return `# Completion of ${PROGRAM} for fish. In ~/.config/fish/config.fish: ${PROGRAM} completion fish | source

# What stands before the cursor, without the program, its options and their values.
function __waxwing_words
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l with_value ${[...new Set(withValue)].join(" ")}
    set -l is_value no
    set -l words
    for word in $typed
        if test $is_value = yes
            set is_value no
        else if string match -q -- '-?*' $word
            contains -- $word $with_value; and set is_value yes
        else
            set -a words $word
        end
    end
    test "$words[1]" = help; and set -e words[1]
    string join -- \\n $words
end

# Whether exactly these words were typed; '*' stands for any.
function __waxwing_is
    set -l words (__waxwing_words)
    test (count $words) -eq (count $argv); and __waxwing_runs $argv
end

# Whether the words typed begin with these.
function __waxwing_runs
    set -l words (__waxwing_words)
    test (count $argv) -eq 0; and return 0
    for i in (seq (count $argv))
        string match -q -- $argv[$i] "$words[$i]"; or return 1
    end
end

complete -c ${PROGRAM} -e
complete -c ${PROGRAM} -f
${everywhere.map((option) => `complete -c ${PROGRAM} ${optionWords(option)}`).join("\n")}
${following.join("\n")}
${rest.join("\n")}
`;
}

function line(condition: string, what: string): string {
  return `complete -c ${PROGRAM} -n ${quote(condition.trim())} ${what.trim()}`;
}

function optionWords({ flag, description, completion }: DeclaredOption): string {
  const takes = completion.kind === "none" ? "" : completion.kind === "file" ? " -r" : " -x";
  return `-l ${flag.slice("--".length)}${takes}${suggestions(completion)} -d ${quote(description)}`;
}

function suggestions(completion: Completion): string {
  switch (completion.kind) {
    case "words":
      return ` -a ${quote(completion.words.join(" "))}`;
    case "file":
      return " -F";
    case "directory":
      return ` -a ${quote("(__fish_complete_directories)")}`;
    default:
      return "";
  }
}

/** In fish's single quotes a backslash escapes a quote and itself. */
function quote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
