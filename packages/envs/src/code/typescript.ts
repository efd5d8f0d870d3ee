// Converts TypeScript to JavaScript by esbuild, which is installed with tsx. Its service is another process, in Go.
import type { TransformFailure } from 'esbuild';

/** The code without types, or the first error with its line. */
type Stripped = { code: string } | { fault: string };

export async function withoutTypes(code: string): Promise<Stripped> {
  const { transform } = await import('esbuild');
  try {
    const stripped = await transform(code, { loader: 'ts', target: 'es2023', logLevel: 'silent' });
    return { code: stripped.code };
  } catch (error) {
    const [first] = (error as Partial<TransformFailure>).errors ?? [];
    if (first === undefined) throw error;
    return { fault: `SyntaxError: ${first.text}${first.location === null ? '' : `, line ${first.location.line}`}` };
  }
}
