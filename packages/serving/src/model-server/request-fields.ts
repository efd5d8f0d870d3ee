// Reading fields of a request's JSON body, each with the error that the client gets.

/** Reported to the client as OpenAI's API does, with the field that it is about. */
export class BadRequestError extends Error {
  override readonly name = 'BadRequestError';

  constructor(
    message: string,
    readonly param: string | null = null,
    readonly code: string | null = null,
  ) {
    super(message);
  }
}

interface Range {
  min: number;
  max: number;
  /** Whether it must be an integer. */
  whole?: boolean;
}

/** Null counts as left out, as in OpenAI's API. */
export class RequestFields {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(
    body: unknown,
    private readonly path = '',
  ) {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new BadRequestError(path === '' ? 'the body must be a JSON object' : `'${path}' must be an object`, path);
    this.#fields = body as Record<string, unknown>;
  }

  value(name: string): unknown {
    return this.#fields[name] ?? undefined;
  }

  number<Default>(name: string, otherwise: Default, { min, max, whole = false }: Range): number | Default {
    const value = this.value(name);
    if (value === undefined) return otherwise;
    if (typeof value !== 'number' || !(value >= min && value <= max) || (whole && !Number.isInteger(value)))
      throw this.#wrong(
        name,
        `${whole ? 'an integer' : 'a number'} ${max === Infinity || max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}`,
      );
    return value;
  }

  boolean(name: string): boolean {
    const value = this.value(name) ?? false;
    if (typeof value !== 'boolean') throw this.#wrong(name, 'true or false');
    return value;
  }

  text<Default>(name: string, otherwise: Default): string | Default {
    const value = this.value(name);
    if (value === undefined) return otherwise;
    if (typeof value !== 'string') throw this.#wrong(name, 'a string');
    return value;
  }

  /** One string or several. */
  texts(name: string): string[] {
    const value = this.value(name) ?? [];
    const list: unknown[] = Array.isArray(value) ? value : [value];
    if (!list.every((item) => typeof item === 'string')) throw this.#wrong(name, 'a string or an array of strings');
    return list;
  }

  /** At most `most` token ids below `vocabSize`; none if absent. */
  ids(name: string, vocabSize: number, most: number): number[] {
    const value = this.value(name) ?? [];
    const isId = (id: unknown): id is number =>
      Number.isInteger(id) && (id as number) >= 0 && (id as number) < vocabSize;
    if (!Array.isArray(value) || !value.every(isId))
      throw this.#wrong(name, `an array of token ids below ${vocabSize}`);
    if (value.length > most) throw this.fail(name, `has ${value.length} token ids; at most ${most} are allowed`);
    return value;
  }

  objects(name: string): RequestFields[] {
    const value = this.value(name);
    if (!Array.isArray(value) || value.length === 0) throw this.#wrong(name, 'an array with at least one object');
    return value.map((item, i) => new RequestFields(item, this.#place(`${name}[${i}]`)));
  }

  object(name: string): RequestFields {
    return new RequestFields(this.value(name) ?? {}, this.#place(name));
  }

  /** A number for each of some tokens, by their ids; `[[id, number]]`. */
  numbersById(
    name: string,
    { min, max, vocabSize, most }: { min: number; max: number; vocabSize: number; most: number },
  ): [number, number][] {
    const value = this.value(name) ?? {};
    if (typeof value !== 'object' || Array.isArray(value)) throw this.#wrong(name, 'an object of numbers by token id');
    const { length } = Object.keys(value);
    if (length > most) throw this.fail(name, `has ${length} token ids; at most ${most} are allowed`);
    return Object.entries(value).map(([key, number]) => {
      const id = Number(key);
      if (!/^\d+$/.test(key) || id >= vocabSize)
        throw this.fail(name, `has the key '${key}', which is not a token id below ${vocabSize}`);
      if (typeof number !== 'number' || !(number >= min && number <= max))
        throw this.fail(name, `must contain numbers from ${min} to ${max}; token ${id} has another value`);
      return [id, number];
    });
  }

  /** Fields that would change the answer and that are not built: only the value that changes nothing will do. */
  refuseUnlessNeutral(neutral: Readonly<Record<string, readonly unknown[]>>): void {
    for (const [name, harmless] of Object.entries(neutral)) {
      const value = this.value(name);
      const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
      if (value === undefined || isEmpty || harmless.includes(value)) continue;
      throw new BadRequestError(`'${this.#place(name)}' is not supported by this server`, this.#place(name));
    }
  }

  fail(name: string, problem: string): BadRequestError {
    return new BadRequestError(`'${this.#place(name)}' ${problem}`, this.#place(name));
  }

  #wrong(name: string, wanted: string): BadRequestError {
    return this.fail(name, `must be ${wanted}`);
  }

  #place(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }
}
