import { useState } from 'react';
import type { Conversation } from '#shared/contract/chat/conversations.ts';
import { text } from '../../../text/conversations-text.ts';
import { Form } from '../../../ui/forms/form.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { useAct } from './use-act.ts';
import { useOverview } from './use-organise.ts';

const wrong = (tag: string) => tag.length > 40 || /[":]/.test(tag);

/** The tags of one or more chats. A pressed tag is on all of them. */
export function TagsForm({ conversations, onDone }: { conversations: readonly Conversation[]; onDone: () => void }) {
  const overview = useOverview();
  const { act } = useAct();
  const shared = (conversations[0]?.tags ?? []).filter((tag) =>
    conversations.every((conversation) => conversation.tags.some((own) => own.toLowerCase() === tag.toLowerCase())),
  );
  const [chosen, setChosen] = useState<readonly string[]>(shared);
  const [typed, setTyped] = useState('');
  const known = [...new Set([...shared, ...(overview.data?.tags ?? []).map((tag) => tag.name)])];
  const added = typed
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
  const problem = added.some(wrong) ? text.badTags : undefined;
  const save = () => {
    onDone();
    const ids = conversations.map((conversation) => conversation.id);
    const addTags = [...chosen.filter((tag) => !shared.includes(tag)), ...added];
    const removeTags = shared.filter((tag) => !chosen.includes(tag));
    if (addTags.length + removeTags.length > 0) {
      void act(ids, { addTags, removeTags }, text.done.tagged(ids.length));
    }
  };
  return (
    <Form saveLabel={text.save} cancelLabel={text.cancel} ready={!problem} onSave={save} onCancel={onDone}>
      <div className="flex max-h-48 flex-wrap gap-1.5 overflow-y-auto">
        {known.map((tag) => (
          <button
            key={tag}
            type="button"
            aria-pressed={chosen.includes(tag)}
            onClick={() => setChosen(chosen.includes(tag) ? chosen.filter((other) => other !== tag) : [...chosen, tag])}
            className="h-7 rounded-full border border-line px-2.5 text-fg-2 text-sm hover:bg-hover aria-pressed:border-control aria-pressed:bg-active aria-pressed:text-fg"
          >
            {tag}
          </button>
        ))}
      </div>
      <TextField
        label={text.tagField}
        value={typed}
        problem={problem}
        autoFocus
        maxLength={300}
        onChange={(event) => setTyped(event.target.value)}
      />
    </Form>
  );
}
