// Defines an endpoint's answer to a forwarded request; the answer can also come from a record that replaces the endpoint.

/** An answer whose headers have arrived, and whose body may still be arriving. */
export interface UpstreamAnswer {
  /** The method and the address of the request, for error messages. */
  asked: string;
  answer: Response;
  /** Reads the complete body of the answer. @throws {UpstreamError} if it is interrupted or too long */
  text: () => Promise<string>;
}
