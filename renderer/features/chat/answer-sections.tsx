import { Fragment } from 'react';
import { AnswerText } from './answer-text.tsx';
import { type Entry, headOf, sectionsOf } from './entries.ts';
import { RoomNote } from './room-note.tsx';
import { ToolCallLine } from './tool-call-line.tsx';

/** What an answer says, and what it called in between. */
export function AnswerSections({ entry, name }: { entry: Entry; name: string }) {
  return sectionsOf(entry).map((section) => (
    <Fragment key={headOf(section)}>
      <RoomNote room={section.room} />
      <AnswerText entry={section} name={name} />
      <Calls section={section} />
    </Fragment>
  ));
}

function Calls({ section }: { section: Entry }) {
  return section.parts.map(({ id, status, toolCalls }) =>
    toolCalls.map((call, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a call is known by its place, in the core too
      <ToolCallLine key={`${id} ${at}`} messageId={id} at={at} call={call} live={status === 'streaming'} />
    )),
  );
}
