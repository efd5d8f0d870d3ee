// The answer of an endpoint, whether it is asked now or a recording answers in its place.

/** An answer whose headers have arrived. */
export interface UpstreamAnswer {
  /** Method and address. */
  asked: string;
  answer: Response;
  /** Reads the whole answer. @throws {UpstreamError} where it breaks off, or is too long */
  text: () => Promise<string>;
}
