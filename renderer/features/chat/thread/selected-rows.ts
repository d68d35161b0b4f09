import { messageHtml } from '#shared/markdown/message-html.ts';
import { formWithMaths } from '../../../markdown/copy-forms.ts';
import { type Copied, getElement } from '../../../markdown/copy-selections.ts';
import { text } from '../../../text/chat-text.ts';
import { composerText } from '../../../text/composer-text.ts';
import type { LiveAnswers } from '../data/answer-views.ts';
import { parsedTokens } from '../data/parsed-tokens.ts';
import { getAnswers, getSections, type ThreadItem } from '../state/thread-items.ts';

/**
 * Copies a row of the thread from its data, because it may not be in the document: the author's name and the text, as
 * Markdown and as HTML.
 */
export async function copiedRow(answers: LiveAnswers, row: ThreadItem): Promise<Copied> {
  const messages = await Promise.all(getAnswers(row).map((item) => copiedMessage(answers, item)));
  return joined(messages);
}

/** Joins several copies, one below the other. */
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

/** The rows at the two ends of a selection in a thread. */
export interface SelectedRows {
  /** The row in which the selection begins, with its selected part; null if it begins before the first message. */
  readonly first: PartOfRow | null;
  /** The row in which the selection ends; null if it ends after the last message. */
  readonly last: PartOfRow | null;
}

export interface PartOfRow {
  readonly index: number;
  readonly range: Range;
}

/**
 * Returns the rows in which the selection begins and ends, numbered by their `data-index`; null if nothing in the
 * thread is selected.
 */
export function selectedRows(thread: HTMLElement): SelectedRows | null {
  const selection = getSelection();
  if (!selection || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!range.intersectsNode(thread)) return null;
  const begins = toRow(thread, range.startContainer);
  const ends = toRow(thread, range.endContainer);
  return { first: begins && getPart(begins, range), last: ends && getPart(ends, range) };
}

/**
 * Returns the indexes of the rows that contain the ends of the selection, or the caret where one may start. They must
 * stay in the document, because the browser moves an end whose node is removed.
 */
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
