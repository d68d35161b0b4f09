import { useGatewayAccountCalls, useGatewayAccounts } from '../../../api/use-gateway-accounts.ts';
import { connectionText as words } from '../../../text/connection-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';

/** For a remote gateway, shows whether these keys are sent to it or idle, and offers to change that. */
export function OwnKeysNotice() {
  const { accounts = [], active = null } = useGatewayAccounts().data ?? {};
  const { setOwnKeys } = useGatewayAccountCalls();
  const { failed } = useNotify();
  const account = accounts.find(({ id }) => id === active);
  if (!account) return null;
  const { id, name, ownKeys } = account;
  return (
    <div className="my-3">
      <Notice tone={ownKeys ? 'info' : 'warn'}>
        <p>{ownKeys ? words.ownKeysSent(name) : words.ownKeysIdle(name)}</p>
        <Button
          className="mt-2"
          disabled={setOwnKeys.isPending}
          onClick={() =>
            setOwnKeys.mutate({ id, on: !ownKeys }, { onError: (error) => failed(words.notChanged, error) })
          }
        >
          {ownKeys ? words.stopOwnKeys : words.sendOwnKeys(name)}
        </Button>
      </Notice>
    </div>
  );
}
