import { useRef } from 'react';
import { isFocusFree, useHandle } from '../../../handles/handles.ts';
import { type ChatsView, chatsViews, useNav } from '../../../navigation/nav.ts';
import { PageHeader } from '../../../page/page-header.tsx';
import { text } from '../../../text/conversations-text.ts';
import { getSentence } from '../../../text/error-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { SearchField } from '../../../ui/forms/search-field.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { useSearch } from '../../search/use-search.ts';
import { BulkBar } from './bulk-bar.tsx';
import { useChatDialog } from './chat-dialog.ts';
import { type ChatEntry, ChatTable } from './chat-table.tsx';
import { useConversationPages, useOverview } from './use-organise.ts';

interface ChatsPageProps {
  view: ChatsView;
  query: string;
}

/** All chats: search, organise, restore. The query is part of the location, so Back restores it. */
export function ChatsPage({ view, query }: ChatsPageProps) {
  const { replace, go } = useNav.getState();
  const field = useRef<HTMLInputElement>(null);
  useHandle('chatSearch', { focus: () => field.current?.focus() });
  const overview = useOverview();
  const ask = useChatDialog((state) => state.ask);
  const searching = query.trim() !== '';
  return (
    <>
      <PageHeader title={text.title} />
      <div className="flex flex-wrap items-center gap-2 px-5 pb-2 max-sm:px-3">
        <div className="flex min-w-40 flex-1 [&>div]:sm:max-w-none">
          <SearchField
            label={text.search}
            value={query}
            inputRef={(element) => {
              field.current = element;
              // Focuses the search field when the page opens.
              if (element && isFocusFree()) element.focus();
            }}
            onChange={(next) => replace({ page: 'chats', view, query: next })}
          />
        </div>
        <Segmented
          label={text.view}
          value={view}
          options={chatsViews.map((value) => ({ value, label: text.views[value] }))}
          onChange={(next) => go({ page: 'chats', view: next, query: '' })}
        />
        {view === 'trash' && (
          <Button variant="danger" disabled={!overview.data?.trashed} onClick={() => ask({ kind: 'empty-trash' })}>
            {text.emptyTrash}
          </Button>
        )}
      </div>
      {searching ? <Results query={query} /> : <Listing view={view} key={view} />}
    </>
  );
}

function Results({ query }: { query: string }) {
  const found = useSearch(query);
  const go = useNav((nav) => nav.go);
  const entries: ChatEntry[] = found.hits.map(({ conversation, title, message }) => ({
    key: `${conversation.id} ${message?.id ?? ''}`,
    conversation,
    title,
    message,
  }));
  const conversations = [...new Map(entries.map((entry) => [entry.conversation.id, entry.conversation])).values()];
  return (
    <>
      <p role="status" className="px-5 pb-1 text-fg-3 text-xs max-sm:px-3">
        {found.data && text.found(entries.length, found.hasNextPage)} {!found.data && text.searchHelp}
      </p>
      {found.problems.length > 0 && (
        <div className="px-5 pb-2 max-sm:px-3">
          <Notice tone="warn">{found.problems.map(getSentence).join(' ')}</Notice>
        </div>
      )}
      {found.isError && !found.data && (
        <div className="px-5">
          <Failure title={text.searchFailed} error={found.error} onRetry={() => void found.refetch()} />
        </div>
      )}
      {found.data && entries.length === 0 && found.problems.length === 0 && (
        <div className="px-5 py-6 text-center text-fg-2">
          <p className="mb-3">{text.nothing}</p>
          <Button onClick={() => go({ page: 'chat', conversationId: null })}>{text.askInstead}</Button>
        </div>
      )}
      <ChatTable
        label={text.openNamed}
        entries={entries}
        onEnd={found.hasNextPage && !found.isFetchingNextPage ? () => void found.fetchNextPage() : null}
      />
      <BulkBar conversations={conversations} />
    </>
  );
}

function Listing({ view }: { view: ChatsView }) {
  const list = useConversationPages({ view });
  const overview = useOverview();
  const entries: ChatEntry[] = list.conversations.map((conversation) => ({
    key: conversation.id,
    conversation,
    title: null,
    message: null,
  }));
  return (
    <>
      {view === 'trash' && (
        <p className="px-5 pb-2 text-fg-3 text-xs max-sm:px-3">{text.trashNote(overview.data?.trashDays ?? 30)}</p>
      )}
      {list.isPending && (
        <div className="px-5">
          <SkeletonRows rows={8} label={text.loading} />
        </div>
      )}
      {list.isError && !list.data && (
        <div className="px-5">
          <Failure title={text.listFailed} error={list.error} onRetry={() => void list.refetch()} />
        </div>
      )}
      {list.data && entries.length === 0 && <p className="px-5 py-6 text-center text-fg-2">{text.empty[view]}</p>}
      <ChatTable
        label={text.views[view]}
        entries={entries}
        onEnd={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : null}
      />
      <BulkBar conversations={list.conversations} />
    </>
  );
}
