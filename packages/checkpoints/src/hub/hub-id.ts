// How a model of the Hugging Face hub is written: OWNER/NAME, or OWNER/NAME@REVISION.

export interface HubId {
  /** OWNER/NAME */
  name: string;
  /** A branch, a tag or a commit; `main` if not given. */
  revision: string;
}

const FORM = /^([A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*)(?:@([\w./-]+))?$/;

/** Parses a model's id; null where the text cannot be one. Whether there is such a model, only the hub knows. */
export function parseHubId(text: string): HubId | null {
  const [, name, revision = 'main'] = FORM.exec(text) ?? [];
  return name === undefined || revision.split('/').includes('..') ? null : { name, revision };
}
