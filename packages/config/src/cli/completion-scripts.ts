// Writes the shell scripts that install and remove tab completion of a program's command line.
import { ConfigError } from '../config-error.js';

export const completionShells = ['bash', 'fish', 'zsh'] as const;
export type CompletionShell = (typeof completionShells)[number];

/** Returns the script that a shell evaluates: `eval "$(run -sc install=bash)"`, `run -sc install=fish | source`. */
export function installScript(shell: CompletionShell, program: string): string {
  const name = functionName(program);
  return { bash: bashScript, fish: fishScript, zsh: zshScript }[shell](name, program);
}

export function uninstallScript(shell: CompletionShell, program: string): string {
  const name = functionName(program);
  if (shell === 'fish') return `complete --command ${program} --erase\nfunctions --erase ${name}\n`;
  if (shell === 'zsh') return `compdef -d ${program}\nunfunction ${name}\n`;
  return `complete -r ${program}\nunset -f ${name}\n`;
}

function functionName(program: string): string {
  if (!/^[\w./@+-]+$/.test(program))
    throw new ConfigError('usage', `Completion needs a program name without spaces or quotes, not '${program}'`);
  return `_${program.replace(/\W/g, '_')}_complete`;
}

// The scripts get the candidates from the flag `-sc query=fish`, which prints one per line.
// Bash splits words at '=' and ':' and expects only the part after the last separator, so the script removes the part before it.
const bashScript = (name: string, program: string) => `${name}() {
  local line="\${COMP_LINE:0:COMP_POINT}" current="\${COMP_WORDS[COMP_CWORD]}" candidate
  local word="\${line##*[[:space:]]}"
  case "$current" in ("=" | ":") current="" ;; esac
  local before="\${word%"$current"}"
  COMPREPLY=()
  while IFS= read -r candidate; do
    [[ -n "$candidate" ]] || continue
    if [[ "$candidate" == *=[./]* && -d "\${candidate##*=}" ]]; then candidate+=/; fi
    COMPREPLY+=("\${candidate#"$before"}")
  done < <(COMP_LINE="$COMP_LINE" COMP_POINT="$COMP_POINT" "\${COMP_WORDS[0]}" -sc query=fish 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" != *[=./] ]]; then compopt +o nospace 2>/dev/null; fi
}
complete -o nospace -F ${name} ${program}
`;

const zshScript = (name: string, program: string) => `${name}() {
  local -a candidates; local -i i
  candidates=("\${(@f)$(COMP_LINE="$LBUFFER" COMP_POINT=\${#LBUFFER} \${words[1]} -sc query=fish 2>/dev/null)}")
  candidates=(\${candidates:#})
  for ((i = 1; i <= \${#candidates}; i++)); do
    [[ \${candidates[i]} == *=[./]* && -d \${candidates[i]##*=} ]] && candidates[i]+=/
  done
  compadd -Q -S '' -a candidates
}
(( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
compdef ${name} ${program}
`;

const fishScript = (name: string, program: string) => `function ${name}
  set -l line (commandline --cut-at-cursor)
  COMP_LINE="$line" COMP_POINT=(string length -- "$line") ${program} -sc query=fish 2>/dev/null | while read candidate
    if string match --quiet --regex '=[./]' -- $candidate; and test -d (string replace --regex '.*=' '' -- $candidate)
      echo $candidate/
    else
      echo $candidate
    end
  end
end
complete --command ${program} --no-files --arguments '(${name})'
`;
