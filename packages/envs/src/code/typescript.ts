// Converts TypeScript to JavaScript with esbuild, a dependency of tsx, which runs in a separate process.
import type { TransformFailure } from 'esbuild';

/** The JavaScript code, or the first syntax error with its line. */
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
