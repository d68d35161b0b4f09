import { type RefObject, useState } from 'react';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { isSameFile, withoutFile } from '../../drafts/attachments/attached-files.ts';
import { getDraft, useDrafts } from '../../drafts/drafts-store.ts';

const maxCharacters = 4000;
const maxLines = 100;

interface Paste {
  readonly words: string;
  /** The file that the paste has become; null while it is in the text. */
  readonly file: Attachment | null;
  /** The draft's text just after the paste. */
  readonly beside: string;
}

interface LongPaste {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly chat: string;
  readonly attach: (files: readonly File[]) => Promise<readonly Attachment[]>;
}

/** Turns a long paste into a file, and back into text if the user wants that. */
export function useLongPaste({ field, chat, attach }: LongPaste) {
  const [paste, setPaste] = useState<(Paste & { readonly chat: string }) | null>(null);
  const { setText, setFiles } = useDrafts.getState();
  const shown = useDrafts(({ files, texts }) => {
    if (paste === null || paste.chat !== chat) return false;
    const { words, file } = paste;
    return file === null ? texts[chat]?.includes(words) : files[chat]?.some((other) => isSameFile(other, file));
  });
  const current = shown ? paste : null;

  const insert = (words: string) => {
    const { text: draft } = getDraft(chat);
    const { selectionStart = draft.length, selectionEnd = draft.length } = field.current ?? {};
    setText(chat, draft.slice(0, selectionStart) + words + draft.slice(selectionEnd));
    const caret = selectionStart + words.length;
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(caret, caret);
    });
  };

  async function toFile(words: string): Promise<void> {
    const names = new Set(getDraft(chat).attachments.map(({ name }) => name));
    let number = 1;
    while (names.has(text.pastedFile(number))) number++;
    const [file] = await attach([new File([words], text.pastedFile(number), { type: 'text/plain' })]);
    // The file was refused, and a notice explains why. The pasted text goes into the draft, so it isn't lost.
    if (!file) insert(words);
    setPaste({ words, file: file ?? null, beside: getDraft(chat).text, chat });
  }

  function toText(): void {
    const file = current?.file;
    if (!file) return;
    setFiles(chat, (files) => withoutFile(files, file));
    insert(current.words);
    setPaste({ ...current, file: null });
  }

  function toFileAgain(): void {
    if (!current) return;
    const draft = getDraft(chat).text;
    const position = draft.lastIndexOf(current.words);
    setText(chat, draft.slice(0, position) + draft.slice(position + current.words.length));
    void toFile(current.words);
  }

  return {
    isLong: (words: string): boolean => words.length > maxCharacters || lineCount(words) > maxLines,
    take: (words: string) => void toFile(words),
    /** Whether the last long paste is now a file or text, and a function that turns it into the other. */
    shown: current && { isFile: current.file !== null, change: current.file === null ? toFileAgain : toText },
    /** Turns the paste back into text if it was the last change of the draft; returns whether it was. */
    undo(): boolean {
      if (!current?.file || current.beside !== getDraft(chat).text) return false;
      toText();
      return true;
    },
  };
}

function lineCount(words: string): number {
  let lines = 1;
  for (
    let position = words.indexOf('\n');
    position >= 0 && lines <= maxLines;
    position = words.indexOf('\n', position + 1)
  )
    lines++;
  return lines;
}
