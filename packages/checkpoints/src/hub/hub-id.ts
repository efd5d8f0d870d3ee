// Parses the id of a model of the Hugging Face hub: OWNER/NAME, or OWNER/NAME@REVISION.

export interface HubId {
  /** OWNER/NAME */
  name: string;
  /** A branch, a tag or a commit. Default: `main`. */
  revision: string;
}

const FORM = /^([A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*)(?:@([\w./-]+))?$/;

/** Parses a model's id; null if the text has another form. The model need not exist. */
export function parseHubId(text: string): HubId | null {
  const [, name, revision = 'main'] = FORM.exec(text) ?? [];
  return name === undefined || revision.split('/').includes('..') ? null : { name, revision };
}
