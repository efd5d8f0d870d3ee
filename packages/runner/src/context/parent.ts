// A process that ends with the one that started it: Node has neither exec nor Linux's parent-death signal.

/** Set by the parent, which has opened a channel: the system closes that with the parent, however it ends. */
export const ENDS_WITH_PARENT = 'BOWYER_ENDS_WITH_PARENT';

/** Ends this process when its parent ends, if that has asked for it. */
export function endWithParent(): void {
  const isAsked = process.env[ENDS_WITH_PARENT] !== undefined;
  delete process.env[ENDS_WITH_PARENT]; // it is not for the processes that this one starts
  if (!isAsked || process.channel === undefined) return;
  process.once('disconnect', () => {
    process.emit('exit', 1); // its listeners remove temporary files
    process.kill(process.pid, 'SIGKILL');
  });
  process.channel.unref();
}
