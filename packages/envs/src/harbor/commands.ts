// Finds commands in scripts of Harbor tasks that just-bash, the shell in which this environment runs them, does not have.

const missing =
  'apt-get apt apk yum dnf pip pip3 uv uvx pytest python python3 node npm npx curl wget git gcc g++ make cargo go java ruby perl systemctl service docker sudo su nohup yes trap'.split(
    ' ',
  );

/** Matches the text before a command in a script: the beginning of a line, a separator or a keyword. */
const PLACE = String.raw`(?:^|[;&|(]|\$\(|\b(?:then|do|else|if|while|until|exec|!))[^\S\n]*`;
const COMMAND = new RegExp(`${PLACE}(${missing.map((name) => name.replaceAll('+', '\\+')).join('|')})(?=\\s|$|;)`, 'm');

/** Returns the first command in a script that just-bash lacks; null if there is none. */
export const missingCommand = (script: string): string | null =>
  COMMAND.exec(script.replace(/^\s*#.*$/gm, ''))?.[1] ?? null;
