// Finds commands that scripts of Harbor tasks often use and that the shell of just-bash does not have.

const missing =
  'apt-get apt apk yum dnf pip pip3 uv uvx pytest python python3 node npm npx curl wget git gcc g++ make cargo go java ruby perl systemctl service docker sudo su nohup yes trap'.split(
    ' ',
  );

/** The places of commands: the beginning of a line, and after a separator or a keyword. */
const PLACE = String.raw`(?:^|[;&|(]|\$\(|\b(?:then|do|else|if|while|until|exec|!))[^\S\n]*`;
const COMMAND = new RegExp(`${PLACE}(${missing.map((name) => name.replaceAll('+', '\\+')).join('|')})(?=\\s|$|;)`, 'm');

/** Returns the first of them in a script; null where there is none. */
export const missingCommand = (script: string): string | null =>
  COMMAND.exec(script.replace(/^\s*#.*$/gm, ''))?.[1] ?? null;
