import type { ToolServer } from '#shared/contract/app/tools.ts';
import { getSentence } from '../../../text/error-text.ts';
import { text } from '../../../text/tools-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import type { Reaching } from './reach-server.ts';

/** The state of the user’s consent to a server, and the result of the last question. */
export function ServerConsent({ server, reaching }: { server: ToolServer; reaching: Reaching }) {
  const { isPending, refusal, giveUp } = reaching;
  const asking = server.state === 'asking';
  const kind = server.transport.type;
  return (
    <div className="mt-2">
      {/* Always mounted, so that screen readers announce its changes. */}
      <div role="status">
        {asking && (
          <Notice>
            <p>{text.asking[kind]}</p>
            <p className="mt-1 text-fg-3 text-xs">{text.askingWhere}</p>
          </Notice>
        )}
        {!asking && !isPending && refusal !== null && <Notice tone="warn">{refusal}</Notice>}
        {!asking && server.problem !== null && (
          <p className="text-fg-2 text-sm wrap-anywhere">{getSentence(server.problem)}</p>
        )}
      </div>
      {asking && isPending && (
        <Button className="mt-2" aria-label={text.actionFor(text.giveUp, server.name)} onClick={giveUp}>
          {text.giveUp}
        </Button>
      )}
      {!asking && !server.allowed && server.enabled && <p className="mt-1 text-sm text-warn">{text.heldBack[kind]}</p>}
      {!asking && !server.allowed && <p className="mt-1 text-fg-3 text-xs">{text.asksFirst}</p>}
    </div>
  );
}
