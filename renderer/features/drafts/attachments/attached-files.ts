import type { Attachment } from '#shared/contract/common/attachments.ts';

type Files = readonly Attachment[];

/** Files of equal content have one id, so a file among others is known by its name too. */
export const isSameFile = (a: Attachment, b: Attachment): boolean => a.id === b.id && a.name === b.name;

/** With this file at the end, once. */
export const withFile = (files: Files, file: Attachment): Attachment[] => [...withoutFile(files, file), file];

export const withoutFile = (files: Files, file: Attachment): Attachment[] =>
  files.filter((other) => !isSameFile(other, file));
