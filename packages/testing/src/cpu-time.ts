/**
 * Measures the milliseconds that the cores of the machine spend on some work. Unlike the time that passes they hardly grow while other
 * programs run beside a test.
 */
export function cpuMilliseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
