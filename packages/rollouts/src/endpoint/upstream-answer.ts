// Defines the answer of an endpoint, or of a record that replaces it.

/** An answer whose headers have arrived. */
export interface UpstreamAnswer {
  /** Method and address of the request. */
  asked: string;
  answer: Response;
  /** Reads the whole answer. @throws {UpstreamError} if it is interrupted or too long */
  text: () => Promise<string>;
}
