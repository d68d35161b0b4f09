import { messageHtml } from '#shared/markdown/message-html.ts';
import { formWithMaths } from '../../../markdown/copy-forms.ts';
import { type Copied, getElement } from '../../../markdown/copy-selections.ts';
import { text } from '../../../text/chat-text.ts';
import { composerText } from '../../../text/composer-text.ts';
import type { LiveAnswers } from '../data/answer-views.ts';
import { parsedTokens } from '../data/parsed-tokens.ts';
import { getAnswers, getSections, type ThreadItem } from '../state/thread-items.ts';

/** A row of the thread as it is copied when it is not in the document: who says it, and what, as Markdown and as HTML. */
export async function copiedRow(answers: LiveAnswers, row: ThreadItem): Promise<Copied> {
  const messages = await Promise.all(getAnswers(row).map((item) => copiedMessage(answers, item)));
  return joined(messages);
}

/** Copies one below the other. */
export const joined = (parts: readonly Copied[]): Copied => ({
  plain: parts.map(({ plain }) => plain.trim()).join('\n\n'),
  rich: parts.map(({ rich }) => rich).join(''),
});

async function copiedMessage(answers: LiveAnswers, item: ThreadItem): Promise<Copied> {
  const own = item.role === 'user';
  const name = own ? text.you : (item.modelName ?? composerText.model);
  const sections = getSections(item).map(async (section) => {
    const tokens = own ? [] : await parsedTokens(answers, section);
    return tokens.length > 0 ? tokens : section.text;
  });
  const rich = await messageHtml(name, await Promise.all(sections), await formWithMaths());
  return { plain: `${name}\n\n${item.text}`, rich };
}

/** The rows of a thread that a selection is in. */
export interface SelectedRows {
  /** The row that it begins within, and the part of it that is selected; null: it begins before the first message. */
  readonly first: PartOfRow | null;
  /** The row that it ends within; null: it ends after the last message. */
  readonly last: PartOfRow | null;
}

export interface PartOfRow {
  readonly index: number;
  readonly range: Range;
}

/** The selected rows of a thread, by the position that they state in `data-index`; null if nothing in it is selected. */
export function selectedRows(thread: HTMLElement): SelectedRows | null {
  const selection = getSelection();
  if (!selection || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!range.intersectsNode(thread)) return null;
  const begins = toRow(thread, range.startContainer);
  const ends = toRow(thread, range.endContainer);
  return { first: begins && getPart(begins, range), last: ends && getPart(ends, range) };
}

/** The rows that the selection begins and ends in, or will when it is drawn out from the caret: as long as they are in the document, the browser leaves its ends alone. */
export function rowsOfSelectionEnds(thread: HTMLElement | null): number[] {
  const selection = getSelection();
  if (!thread || !selection) return [];
  const rows = [selection.anchorNode, selection.focusNode].map((node) => node && toRow(thread, node));
  return rows.flatMap((row) => (row ? [indexOf(row)] : []));
}

function toRow(thread: HTMLElement, node: Node): Element | null {
  const row = getElement(node)?.closest('[data-index]') ?? null;
  return row && thread.contains(row) ? row : null;
}

const indexOf = (row: Element): number => Number((row as HTMLElement).dataset.index);

function getPart(row: Element, selected: Range): PartOfRow {
  const range = document.createRange();
  range.selectNodeContents(row);
  if (row.contains(selected.startContainer)) range.setStart(selected.startContainer, selected.startOffset);
  if (row.contains(selected.endContainer)) range.setEnd(selected.endContainer, selected.endOffset);
  return { index: indexOf(row), range };
}
