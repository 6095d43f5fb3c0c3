/** `waxwing completion`: a script that lets a shell complete commands, options and their values. */
import { type Command, command, type Group } from "./command.ts";
import { bashScript } from "./completion/bash.ts";
import { fishScript } from "./completion/fish.ts";
import { zshScript } from "./completion/zsh.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `groups` are all groups, including the one of this command. */
export function completionCommands(groups: readonly Group[]): readonly Command[] {
  return [
    command({
      group: null,
      name: "completion",
      summary: "Print a script that lets a shell complete commands and options",
      needsNoData: true,
      details:
        "bash, in ~/.bashrc:                     source <(waxwing completion bash)\nzsh, in ~/.zshrc, after compinit:       source <(waxwing completion zsh)\nfish, in ~/.config/fish/config.fish:    waxwing completion fish | source",
      positionals: {
        shell: { kind: "choice", choices: ["bash", "zsh", "fish"], required: true, description: "The shell" },
      },
      run: async (_, { shell }) => {
        const loaded = await Promise.all(groups.map((group) => group.load()));
        const script = scripts[shell](loaded.flat(), new Map(groups.map(({ word, summary }) => [word, summary])));
        return { json: { shell, script }, text: script.trimEnd() };
      },
    }),
  ];
}
