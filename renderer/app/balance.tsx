import { draftKey, useDrafts } from '../features/chat/drafts.ts';
import { usd } from '../lib/format.ts';
import { useNav } from '../lib/nav.ts';
import { amountOf, payerOf, walletNamed } from '../lib/payer.ts';
import { useConversations, useModels, useSettings, useWallets } from '../lib/use-core.ts';
import { text } from './text.ts';

/** What the next message is paid from, and how much is there: exactly, as the ledger says. */
export function Balance({ brief = false }: { brief?: boolean }) {
  const wallets = useWallets();
  const payer = usePayer();
  const wallet = walletNamed(wallets.data ?? [], payer);
  const said = wallet
    ? `${usd(amountOf(wallet))}${wallet.billing === 'meter_only' ? ` ${text.spent}` : ''}`
    : wallets.isError
      ? text.noBalance
      : '';
  return (
    <output
      aria-label={text.balance}
      aria-busy={wallets.isPending}
      className={
        brief
          ? 'flex shrink-0 flex-col text-right text-xs tabular-nums whitespace-nowrap'
          : 'flex min-w-0 flex-col text-xs tabular-nums'
      }
    >
      {wallet && (
        <span className={brief ? 'truncate text-fg-3 max-sm:text-2xs' : 'truncate font-medium text-sm'}>
          {wallet.name}
        </span>
      )}
      <span className={brief ? 'font-medium' : 'text-fg-2'}>{said || <span className="text-fg-3">…</span>}</span>
    </output>
  );
}

/** Who pays follows the model chosen where the reader is. */
function usePayer() {
  const loc = useNav((nav) => nav.loc);
  const conversationId = loc.page === 'chat' ? loc.conversationId : null;
  const chosen = useDrafts((drafts) => drafts.models[draftKey(conversationId)]);
  const conversations = useConversations();
  const settings = useSettings();
  const models = useModels();
  const before = conversations.data?.conversations.find((entry) => entry.id === conversationId)?.model;
  return payerOf(chosen ?? before ?? settings.data?.model ?? 'router', models.data?.models ?? []);
}
