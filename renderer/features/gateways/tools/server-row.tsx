import { useRef, useState } from 'react';
import type { Tool, ToolServer, ToolTransport } from '#shared/contract/app/tools.ts';
import { visibleText } from '#shared/visible.ts';
import { describeError, getSentence } from '../../../text/error-text.ts';
import { text } from '../../../text/tools-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Badge } from '../../../ui/elements/badge.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { Switch } from '../../../ui/forms/switch.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { ServerForm } from './tool-server-form.tsx';
import { useToolCalls } from './use-tools.ts';

interface Reaching {
  readonly isPending: boolean;
  /** The reason, if the user refused or could not be asked. */
  readonly refusal: string | null;
  /**
   * Connects to the server after the user has agreed outside of this page. Calls `then` when the server has answered.
   */
  reach(then: (reached: ToolServer) => void): void;
  /** Withdraws the question. */
  giveUp(): void;
}

/** Tests a server, which needs the user’s consent outside of this page. */
function useReachServer(id: string): Reaching {
  const { test } = useToolCalls();
  const { failed } = useNotify();
  const leave = useRef<AbortController>(null);
  const refusal = test.isError ? describeError(test.error) : null;
  const isRefusal = refusal !== null && refusals.has(refusal.code);
  return {
    isPending: test.isPending,
    refusal: isRefusal ? refusal.sentence : null,
    reach(then) {
      if (test.isPending) return;
      const controller = new AbortController();
      leave.current = controller;
      test.mutate(
        { id, signal: controller.signal },
        {
          // The row shows the problem.
          onSuccess: (reached) => reached.problem === null && then(reached),
          onError: (error) => {
            if (controller.signal.aborted || refusals.has(describeError(error).code)) return;
            failed(text.testFailed, error);
          },
        },
      );
    },
    giveUp: () => leave.current?.abort(),
  };
}

const refusals = new Set(['not_confirmed', 'confirmation_busy']);

const tones = { off: 'plain', asking: 'warn', starting: 'plain', ready: 'ok', failed: 'bad' } as const;

/** One tool server with its state and actions. */
export function ServerRow({ server }: { server: ToolServer }) {
  const [open, setOpen] = useState<'tools' | 'editing' | 'removing' | null>(null);
  const [seen, setSeen] = useState<ToolServer | null>(null);
  const { enable, disallow } = useToolCalls();
  const reaching = useReachServer(server.id);
  const { reach, isPending } = reaching;
  const { inform, failed } = useNotify();
  const named = (action: string) => text.actionFor(action, server.name);
  const switchTo = (enabled: boolean) => {
    if (enabled) return reach(setSeen);
    enable.mutate(
      { id: server.id, enabled: false, fingerprint: server.fingerprint },
      { onError: (error) => failed(text.notSwitched, error) },
    );
  };
  return (
    <li className="py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-40 flex-1">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            <span className="wrap-anywhere">{server.name}</span>
            <Badge tone={tones[server.state]}>{text.states[server.state]}</Badge>
            {server.changed && <Badge tone="warn">{text.changedBadge}</Badge>}
          </p>
          <TransportLine transport={server.transport} />
        </div>
        <Switch
          label={text.switchFor(server.name)}
          checked={server.enabled}
          disabled={enable.isPending}
          onChange={switchTo}
        />
      </div>
      <ServerConsent server={server} reaching={reaching} />
      {server.changed && <p className="mt-1 text-sm text-warn">{text.changedNote}</p>}
      <div className="mt-2 flex flex-wrap gap-1.5">
        {(server.changed || (server.enabled && !server.allowed)) && (
          <Button aria-label={named(text.look)} aria-disabled={isPending} onClick={() => reach(setSeen)}>
            {text.look}
          </Button>
        )}
        <Button
          aria-label={named(text.test)}
          aria-disabled={isPending}
          onClick={() => reach(({ name, tools }) => inform(text.tested(name, tools.length)))}
        >
          {isPending && server.state !== 'asking' ? text.testing : text.test}
        </Button>
        {server.tools.length > 0 && (
          <Button
            aria-label={text.toolsLabel(server.name)}
            aria-expanded={open === 'tools'}
            onClick={() => setOpen(open === 'tools' ? null : 'tools')}
          >
            {text.tools(server.tools.length)}
          </Button>
        )}
        <Button aria-label={named(text.edit)} onClick={() => setOpen('editing')}>
          {text.edit}
        </Button>
        {server.allowed && (
          <Button
            aria-label={named(text.disallow)}
            disabled={disallow.isPending}
            onClick={() => disallow.mutate(server.id, { onError: (error) => failed(text.notTaken, error) })}
          >
            {text.disallow}
          </Button>
        )}
        <Button variant="danger" aria-label={named(text.remove)} onClick={() => setOpen('removing')}>
          {text.remove}
        </Button>
      </div>
      {open === 'tools' && (
        <div className="mt-3">
          <ToolList label={text.toolsLabel(server.name)} tools={server.tools} />
        </div>
      )}
      <Dialog
        open={seen !== null}
        onOpenChange={(isOpen) => !isOpen && setSeen(null)}
        title={text.enableTitle(server.name)}
      >
        {seen && <EnableServerForm server={seen} onDone={() => setSeen(null)} />}
      </Dialog>
      <Dialog
        open={open === 'editing'}
        onOpenChange={(isOpen) => !isOpen && setOpen(null)}
        title={text.form.edit(server.name)}
      >
        <ServerForm server={server} onDone={() => setOpen(null)} />
      </Dialog>
      <Dialog
        open={open === 'removing'}
        onOpenChange={(isOpen) => !isOpen && setOpen(null)}
        title={text.removeTitle(server.name)}
      >
        <RemoveForm server={server} onDone={() => setOpen(null)} />
      </Dialog>
    </li>
  );
}

function RemoveForm({ server, onDone }: { server: ToolServer; onDone: () => void }) {
  const { remove } = useToolCalls();
  const { failed } = useNotify();
  return (
    <>
      <p className="text-fg-2">{text.removeBody}</p>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>{text.cancel}</Button>
        <Button
          variant="danger"
          disabled={remove.isPending}
          onClick={() =>
            remove.mutate(server.id, { onSuccess: onDone, onError: (error) => failed(text.notRemoved, error) })
          }
        >
          {text.remove}
        </Button>
      </div>
    </>
  );
}

/** Asks whether to trust a server. The core refuses if the server has changed since. */
function EnableServerForm({ server, onDone }: { server: ToolServer; onDone: () => void }) {
  const { enable } = useToolCalls();
  const { failed } = useNotify();
  return (
    <>
      <p className="mb-2 text-fg-2">{text.enableBody}</p>
      <TransportLine transport={server.transport} />
      <div className="mt-3">
        <ToolList label={text.toolsLabel(server.name)} tools={server.tools} />
      </div>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>{text.cancel}</Button>
        <Button
          variant="primary"
          disabled={enable.isPending || server.tools.length === 0}
          onClick={() =>
            enable.mutate(
              { id: server.id, enabled: true, fingerprint: server.fingerprint },
              { onSettled: onDone, onError: (error) => failed(text.notOn, error) },
            )
          }
        >
          {text.switchOn}
        </Button>
      </div>
    </>
  );
}

/** The tools of a server with its own descriptions. */
function ToolList({ label, tools }: { label: string; tools: readonly Tool[] }) {
  if (tools.length === 0) return <p className="text-fg-2 text-sm">{text.noTools}</p>;
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-menu border border-line bg-sunken px-3">
      {tools.map(({ name, description, readOnly }) => (
        <li key={name} className="py-2">
          <p className="flex flex-wrap items-center gap-2">
            <code className="font-mono text-sm wrap-anywhere">{name}</code>
            {readOnly && <Badge>{text.readOnly}</Badge>}
          </p>
          {description && <p className="text-fg-2 text-xs whitespace-pre-line wrap-anywhere">{description}</p>}
        </li>
      ))}
    </ul>
  );
}

/** A server’s transport in one line. Secret values can't appear in it, because only the core has them. */
function TransportLine({ transport }: { transport: ToolTransport }) {
  const line = transport.type === 'http' ? transport.url : [transport.command, ...transport.args].join(' ');
  const secrets = transport.type === 'http' ? transport.headers : transport.variables;
  return (
    <p className="text-fg-3 text-xs wrap-anywhere">
      <code className="font-mono">{visibleText(line)}</code>
      {secrets.length > 0 && ` · ${secrets.join(', ')}`}
    </p>
  );
}

/** Shows whether the user agreed to a server, and the result of the last question. */
function ServerConsent({ server, reaching }: { server: ToolServer; reaching: Reaching }) {
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
