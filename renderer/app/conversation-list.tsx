import { LoaderCircle } from 'lucide-react';
import { useNav } from '../lib/nav.ts';
import { useConversations } from '../lib/use-core.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { Link } from '../ui/link.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { groupConversations } from './group-conversations.ts';
import { text } from './text.ts';

export function ConversationList({ onChoose }: { onChoose: () => void }) {
  const list = useConversations();
  const loc = useNav((nav) => nav.loc);
  const current = loc.page === 'chat' ? loc.conversationId : null;
  if (list.isPending) return <SkeletonRows rows={8} label={text.loadingChats} />;
  if (list.isError && !list.data) {
    return (
      <div role="alert" className="px-2 py-2 text-fg-2">
        <p>{text.chatsFailed}</p>
        <Button className="mt-2" onClick={() => void list.refetch()}>
          {text.retry}
        </Button>
      </div>
    );
  }
  const groups = groupConversations(list.data.conversations, Date.now());
  if (groups.length === 0) return <p className="px-2 py-2 text-fg-3">{text.noChats}</p>;
  return groups.map((group) => (
    <section key={group.label} aria-label={group.label} className="mb-2">
      <h2 className="flex h-7 items-center px-2 font-medium text-fg-3 text-xs">{group.label}</h2>
      <ul>
        {group.conversations.map((conversation) => (
          <li key={conversation.id} className="[content-visibility:auto] [contain-intrinsic-size:auto_var(--h-row)]">
            <Link
              to={{ page: 'chat', conversationId: conversation.id }}
              onClick={onChoose}
              aria-current={conversation.id === current ? 'page' : undefined}
              className={classNames(
                'flex h-row items-center gap-2 rounded-control px-2 text-fg-2 hover:bg-hover hover:text-fg focus-visible:outline-offset-[-2px]',
                'aria-[current=page]:bg-active aria-[current=page]:font-medium aria-[current=page]:text-fg',
              )}
            >
              <span className="min-w-0 flex-1 truncate">{conversation.title}</span>
              {conversation.live && (
                <LoaderCircle size={14} className="spin shrink-0 text-accent" role="img" aria-label={text.writing} />
              )}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  ));
}
