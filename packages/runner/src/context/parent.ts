// Ends a child process when its parent process ends. It is needed since Node has neither exec nor Linux's parent-death signal.

/**
 * Asks a child to end together with its parent, which must have opened an IPC channel: the system closes it when the parent ends.
 */
export const ENDS_WITH_PARENT = 'BOWYER_ENDS_WITH_PARENT';

/** Makes this process end when its parent ends, if the environment variable is set. */
export function endWithParent(): void {
  const isAsked = process.env[ENDS_WITH_PARENT] !== undefined;
  delete process.env[ENDS_WITH_PARENT]; // children of this process must not inherit it
  if (!isAsked || process.channel === undefined) return;
  process.once('disconnect', () => {
    process.emit('exit', 1); // the listeners remove temporary files
    process.kill(process.pid, 'SIGKILL');
  });
  process.channel.unref();
}
