// What went wrong between here and the hub, in the words of somebody who wants a model.
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
        `  a local folder was not meant? There is no '${id.name}' in ${process.cwd()}`,
      ].join('\n'),
      options,
    );
  }
}

/** Whether nobody answered, which says nothing of the model. */
export const isUnreachable = (error: unknown): boolean =>
  !(error instanceof HubError) && (error as { statusCode?: number }).statusCode === undefined;

/** @param endpoint the hub's address */
export function hubError(id: HubId, error: unknown, endpoint: string): HubError {
  if (error instanceof HubError) return error;
  const { statusCode, message, cause } = error as Error & { statusCode?: number };
  switch (statusCode) {
    case 401:
    case 403:
      return new HubError(
        id,
        `${endpoint} refuses access (${statusCode}): there is no such model, or it is private or gated`,
        'check the name; for a gated model accept its terms on the site and set HF_TOKEN in the environment',
      );
    case 404:
      return new HubError(
        id,
        `${endpoint} has no such model or revision (404)`,
        'check OWNER/NAME@REVISION; a local directory is written with a slash or dot in front: ./OWNER/NAME',
      );
    case undefined: {
      const code = (cause as { code?: string } | undefined)?.code;
      return new HubError(
        id,
        `${endpoint} cannot be reached: ${code ?? message}`,
        'is there a network? Without one give the directory of a downloaded model, or HF_HOME where another program has put it',
        { cause: error },
      );
    }
    default:
      return new HubError(id, `${endpoint} answered ${statusCode}: ${message}`, 'try again later');
  }
}
