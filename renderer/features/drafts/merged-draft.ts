import type { Draft } from '#shared/contract/chat/drafts.ts';

export const emptyDraft: Draft = { text: '', attachments: [], model: null, compare: [] };

export const sameDraft = (a: Draft, b: Draft): boolean => a.text === b.text && getChoices(a) === getChoices(b);

/** Merges a draft that was changed here and in another window since both had `base`. No words of either are lost. */
export function mergedDraft(base: Draft, mine: Draft, theirs: Draft): Draft {
  const had = new Set(base.attachments.map(({ id }) => id));
  const there = new Set(theirs.attachments.map(({ id }) => id));
  const here = new Set(mine.attachments.map(({ id }) => id));
  return {
    text: mergedText(base.text, mine.text, theirs.text),
    attachments: [
      ...theirs.attachments.filter(({ id }) => here.has(id) || !had.has(id)),
      ...mine.attachments.filter(({ id }) => !there.has(id) && !had.has(id)),
    ],
    model: mine.model === base.model ? theirs.model : mine.model,
    compare: String(mine.compare) === String(base.compare) ? theirs.compare : mine.compare,
  };
}

export function mergedText(base: string, mine: string, theirs: string): string {
  if (mine === base || mine === theirs) return theirs;
  if (theirs === base) return mine;
  if (mine === '' || theirs === '') return mine + theirs;
  const onlyLonger = mine.startsWith(base) && theirs.startsWith(base);
  return onlyLonger ? theirs + mine.slice(base.length) : `${theirs}\n\n${mine}`;
}

const getChoices = ({ attachments, model, compare }: Draft): string =>
  JSON.stringify([attachments.map(({ id }) => id), model, compare]);
