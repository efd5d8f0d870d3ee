/** Thrown for a Jinja template that is invalid, or that refuses its input, as with `raise_exception`. */
export class TemplateError extends Error {
  override readonly name: string = 'TemplateError';

  constructor(
    readonly problem: string,
    readonly line?: number,
  ) {
    super(line === undefined ? problem : `${problem} (line ${line})`);
  }

  at(line: number): TemplateError {
    return new TemplateError(this.problem, line);
  }
}
