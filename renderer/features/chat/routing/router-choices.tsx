import { routingText as text } from '../../../text/routing-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useDrafts } from '../../drafts/drafts-store.ts';
import { useOptions } from '../../drafts/options/use-options.ts';

interface RouterChoicesProps {
  conversationId: string;
  model: { readonly id: string; readonly name: string };
}

/** Actions after a choice: pin this model, or never use it in this chat. */
export function RouterChoices({ conversationId, model: { id, name } }: RouterChoicesProps) {
  const pinned = useDrafts(({ models }) => models[conversationId] === id);
  const setModel = useDrafts((drafts) => drafts.setModel);
  const { query, set } = useOptions(conversationId);
  const { failed } = useNotify();
  const ignored = query.data?.ignore.includes(id) ?? false;
  const toggle = () => {
    if (!query.data) return;
    const { ignore, names } = query.data;
    set.mutate(
      {
        ...query.data,
        ignore: ignored ? ignore.filter((other) => other !== id) : [...ignore, id],
        names: { ...names, [id]: name },
      },
      { onError: (error) => failed(text.notKept, error) },
    );
    // A pinned model would be asked all the same.
    if (!ignored && pinned) setModel(conversationId, 'router');
  };
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Button aria-disabled={pinned} onClick={() => setModel(conversationId, id)}>
          {pinned ? text.pinned : text.pin}
        </Button>
        <Button disabled={!query.data} onClick={toggle}>
          {ignored ? text.allow : text.never}
        </Button>
      </div>
      <p role="status" className="text-fg-2 text-xs empty:hidden">
        {ignored && text.neverNote(name)}
      </p>
    </div>
  );
}
