// The task of each program: to copy a file, and to answer with its contents, with a single tool call.

export interface Task {
  prompt: string;
  /** The program's command tool, with the arguments of the call. */
  tool: string;
  args: Readonly<Record<string, string>>;
}

/** The content of note.txt. */
export const note = 'The harbour is open.\n';

/** The model's answer after the tool's result. */
export const reply = 'The note is copied. It says that the harbour is open.';

const command = 'cp note.txt copy.txt && cat copy.txt';
const description = 'Copies the note';

export const tasks = {
  codex: { prompt: 'Codex, copy the note.', tool: 'exec_command', args: { cmd: command } },
  opencode: { prompt: 'Opencode, copy the note.', tool: 'bash', args: { command, description } },
  'claude-code': { prompt: 'Claude, copy the note.', tool: 'Bash', args: { command, description } },
} as const satisfies Readonly<Record<string, Task>>;

export type ProgramName = keyof typeof tasks;
