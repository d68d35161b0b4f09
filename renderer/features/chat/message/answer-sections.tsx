import { Fragment } from 'react';
import { MadeImages } from '../../drafts/attachments/made-images.tsx';
import { ContextNote } from '../context/context-note.tsx';
import { getHead, getSections, type ThreadItem } from '../state/thread-items.ts';
import { ToolCallLine } from '../tool-calls/tool-call-line.tsx';
import { AnswerText } from './answer-text.tsx';

/** The texts of an answer, with the tool calls in between. */
export function AnswerSections({ item, name }: { item: ThreadItem; name: string }) {
  return getSections(item).map((section) => (
    <Fragment key={getHead(section)}>
      <ContextNote room={section.room} />
      <AnswerText item={section} name={name} />
      <MadeImages files={section.attachments} name={name} />
      <Calls section={section} />
    </Fragment>
  ));
}

function Calls({ section }: { section: ThreadItem }) {
  return section.parts.map(({ id, status, toolCalls }) =>
    toolCalls.map((call, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a call is known by its position, in the core too
      <ToolCallLine key={`${id} ${at}`} messageId={id} at={at} call={call} live={status === 'streaming'} />
    )),
  );
}
