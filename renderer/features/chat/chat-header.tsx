import { Ellipsis, FolderOpen } from 'lucide-react';
import type { Conversation } from '#shared/contract/chat/conversations.ts';
import type { ConversationTotal as Total } from '#shared/contract/common/bills.ts';
import { useFolder } from '../../api/use-project.ts';
import { PageHeader } from '../../page/page-header.tsx';
import { text } from '../../text/chat-text.ts';
import { text as conversationsText } from '../../text/conversations-text.ts';
import { costsText } from '../../text/costs-text.ts';
import { usd } from '../../text/format.ts';
import { Menu } from '../../ui/dialogs/menu.tsx';
import { Popover } from '../../ui/dialogs/popover.tsx';
import { Amounts } from '../../ui/elements/amounts.tsx';
import { Button } from '../../ui/elements/button.tsx';
import { Hint } from '../../ui/elements/hint.tsx';
import { IconButton } from '../../ui/elements/icon-button.tsx';
import { Money, MoneyIn } from '../../ui/elements/money.tsx';
import { useChatDialog } from '../library/conversations/chat-dialog.ts';
import { ConversationActions } from '../library/conversations/conversation-actions.tsx';
import { TemporaryMark } from '../library/conversations/temporary-mark.tsx';
import { useChatOffers } from '../library/conversations/use-chat-offers.ts';

interface ChatHeaderProps {
  conversation: Conversation | null;
  total: Total | null;
}

export function ChatHeader({ conversation, total }: ChatHeaderProps) {
  const ask = useChatDialog((state) => state.ask);
  useChatOffers(conversation);
  return (
    <PageHeader
      title={conversation?.title ?? text.newChat}
      {...(conversation && { onTitleDoubleClick: () => ask({ kind: 'rename', conversation }) })}
    >
      {conversation && (
        <>
          {conversation.folderId !== null && <ProjectMark folderId={conversation.folderId} />}
          {conversation.temporary && <TemporaryMark conversationId={conversation.id} />}
          {total && (
            // In a narrow header that also holds the window's own buttons, the title needs this space.
            <span className="contents @max-[20rem]/header:hidden">
              <ConversationTotal total={total} />
            </span>
          )}
          <Menu trigger={<IconButton icon={Ellipsis} label={text.chatActions} />}>
            <ConversationActions conversation={conversation} />
          </Menu>
        </>
      )}
    </PageHeader>
  );
}

/** Names the project that the open chat belongs to; a click opens its settings. For a plain folder it shows nothing. */
function ProjectMark({ folderId }: { folderId: string }) {
  const folder = useFolder(folderId);
  const ask = useChatDialog((state) => state.ask);
  if (!folder?.isProject) return null;
  const label = conversationsText.projectTitle(folder.name);
  return (
    <Hint label={label}>
      <Button
        variant="quiet"
        className="h-7 min-w-0 max-w-48 shrink px-2 text-xs"
        aria-label={label}
        onClick={() => ask({ kind: 'project', folder })}
      >
        <FolderOpen size={14} className="shrink-0" aria-hidden />
        <span className="truncate @max-[36rem]/header:hidden">{folder.name}</span>
      </Button>
    </Hint>
  );
}

/**
 * The cost of this chat so far, as in the ledger. Unknown costs are shown as a number of requests, never counted as
 * zero.
 */
export function ConversationTotal({ total }: { total: Total }) {
  if (total.requests === 0) return null;
  const { money, testCredits } = getAmounts(total);
  const lines = [
    ...(money === null ? [] : [{ name: costsText.totalReal, amount: usd(money), strong: true }]),
    ...(testCredits === null ? [] : [{ name: costsText.totalTest, amount: usd(testCredits), strong: true }]),
    ...total.auxiliary.map((entry) => ({
      name: costsText.ofWhich(costsText.purposes[entry.purpose] ?? entry.purpose),
      note: String(entry.requests),
      amount: usd(entry.usd),
    })),
  ];
  return (
    <Popover
      title={costsText.totalTitle}
      side="bottom"
      trigger={
        <button
          type="button"
          aria-label={`${costsText.totalTitle}: ${getSummary(total)}`}
          className="shrink-0 rounded-tag px-1.5 py-0.5 text-fg-3 text-xs tabular-nums hover:bg-hover hover:text-fg"
        >
          <Summary total={total} />
        </button>
      }
    >
      <Amounts label={costsText.totalTitle} lines={lines} />
      <ul className="mt-2 list-disc space-y-1 pl-4 text-fg-2 text-xs">
        <li>{costsText.totalRequests(total.requests)}</li>
        {total.unknown > 0 && <li>{costsText.totalUnknown(total.unknown)}</li>}
        {total.notBilled > 0 && <li>{costsText.totalNotBilled(total.notBilled)}</li>}
        <li>{costsText.totalDeleted}</li>
      </ul>
    </Popover>
  );
}

function Summary({ total }: { total: Total }) {
  const { money, testCredits } = getAmounts(total);
  return (
    <>
      {money !== null && <Money amount={money} />}
      {money !== null && testCredits !== null && ' + '}
      {testCredits !== null && <MoneyIn text={costsText.inTestCredits} amount={testCredits} />}
      {total.unknown > 0 && unknownWords(total)}
    </>
  );
}

/** Returns the total as plain text, for the accessible name of the button. */
function getSummary(total: Total): string {
  const { money, testCredits } = getAmounts(total);
  const amounts = [
    ...(money === null ? [] : [usd(money)]),
    ...(testCredits === null ? [] : [costsText.inTestCredits(usd(testCredits))]),
  ];
  return `${amounts.join(' + ')}${total.unknown > 0 ? unknownWords(total) : ''}`;
}

function unknownWords(total: Total): string {
  const { money, testCredits } = getAmounts(total);
  return money === null && testCredits === null
    ? costsText.onlyUnknown(total.unknown)
    : costsText.andUnknown(total.unknown);
}

/**
 * Chooses which amounts to show. Money is null if only simulated models were used, or if it is 0 and some costs are
 * unknown. Test credits are null unless some were spent or only simulated models were used.
 */
function getAmounts({ usd: money, testCreditsUsd, testRequests, unknown }: Total) {
  const onlyTest = money === '0' && testRequests > 0;
  return {
    money: onlyTest || (money === '0' && unknown > 0) ? null : money,
    testCredits: onlyTest || testCreditsUsd !== '0' ? testCreditsUsd : null,
  };
}
