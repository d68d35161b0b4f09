import type { Attachment } from '#shared/contract/common/attachments.ts';

type Files = readonly Attachment[];

/** Files with the same content share an id, so a file is identified by its id and its name. */
export const isSameFile = (a: Attachment, b: Attachment): boolean => a.id === b.id && a.name === b.name;

/** Returns the list with this file at the end, without duplicates. */
export const withFile = (files: Files, file: Attachment): Attachment[] => [...withoutFile(files, file), file];

export const withoutFile = (files: Files, file: Attachment): Attachment[] =>
  files.filter((other) => !isSameFile(other, file));
