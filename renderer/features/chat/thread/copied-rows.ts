import { messageHtml } from '#shared/markdown/message-html.ts';
import { formWithMaths } from '../../../markdown/copy-forms.ts';
import type { Copied } from '../../../markdown/copy-selections.ts';
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
