// Turns failed requests to the Hugging Face hub into error messages that name the requested model, the problem and its remedy.
import type { HubId } from './hub-id.js';

export class HubError extends Error {
  override readonly name = 'HubError';

  constructor(
    readonly id: HubId,
    problem: string,
    advice: string,
    options?: ErrorOptions,
  ) {
    super(
      [
        `Cannot get ${id.name}@${id.revision} from the hub`,
        `  ${problem}`,
        `  ${advice}`,
        `  did you mean a local folder? There is no '${id.name}' in ${process.cwd()}`,
      ].join('\n'),
      options,
    );
  }
}

/** Returns whether an error means that the hub did not answer, so that it is unknown whether the model exists. */
export const isUnreachable = (error: unknown): boolean =>
  !(error instanceof HubError) && (error as { statusCode?: number }).statusCode === undefined;

/** Describes a failure of the hub and its remedy. @param endpoint the hub's address */
export function hubError(id: HubId, error: unknown, endpoint: string): HubError {
  if (error instanceof HubError) return error;
  const { statusCode, message, cause } = error as Error & { statusCode?: number };
  switch (statusCode) {
    case 401:
    case 403:
      return new HubError(
        id,
        `${endpoint} refused access (${statusCode}): the model does not exist, or it is private or gated`,
        'check the name; for a gated model, accept its terms on the site and set HF_TOKEN in the environment',
      );
    case 404:
      return new HubError(
        id,
        `${endpoint} has no such model or revision (404)`,
        'check OWNER/NAME@REVISION; a local directory starts with a slash or a dot: ./OWNER/NAME',
      );
    case undefined: {
      const code = (cause as { code?: string } | undefined)?.code;
      return new HubError(
        id,
        `${endpoint} cannot be reached: ${code ?? message}`,
        'without a network, give the directory of a downloaded model, or set HF_HOME to the cache that contains it',
        { cause: error },
      );
    }
    default:
      return new HubError(id, `${endpoint} answered ${statusCode}: ${message}`, 'try again later');
  }
}
