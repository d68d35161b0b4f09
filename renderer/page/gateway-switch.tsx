import { Check, ChevronDown } from 'lucide-react';
import { useGatewayAccountCalls, useGatewayAccounts } from '../api/use-gateway-accounts.ts';
import { useNav } from '../navigation/nav.ts';
import { connectionText as words } from '../text/connection-text.ts';
import { Menu, MenuItem } from '../ui/dialogs/menu.tsx';
import { Button } from '../ui/elements/button.tsx';
import { useNotify } from '../ui/notices/use-notify.ts';

/** Chooses which gateway answers and pays. Nothing where there is only the built-in one. */
export function GatewaySwitch() {
  const { accounts = [], active = null } = useGatewayAccounts().data ?? {};
  const { use } = useGatewayAccountCalls();
  const { failed } = useNotify();
  if (accounts.length === 0) return null;
  const choices = [{ id: null, name: words.builtIn }, ...accounts];
  const current = choices.find(({ id }) => id === active)?.name ?? words.builtIn;
  const choose = (id: string | null) => {
    if (id !== active) use.mutate(id, { onError: (error) => failed(words.notUsed, error) });
  };
  return (
    <Menu
      trigger={
        <Button disabled={use.isPending}>
          <span className="max-w-52 truncate">{words.paysNow(current)}</span>
          <ChevronDown size={14} aria-hidden />
        </Button>
      }
    >
      {choices.map(({ id, name }) => (
        <MenuItem key={id ?? ''} onClick={() => choose(id)}>
          <span className="w-4">{id === active && <Check size={14} aria-label={words.inUse} />}</span>
          <span className="max-w-72 truncate">{name}</span>
        </MenuItem>
      ))}
      <MenuItem onClick={() => useNav.getState().go({ page: 'settings', section: 'gateway' })}>
        <span className="w-4" />
        {words.manage}
      </MenuItem>
    </Menu>
  );
}
