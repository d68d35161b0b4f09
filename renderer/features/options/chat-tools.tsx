import { Wrench } from 'lucide-react';
import type { Model } from '#shared/wire/model.ts';
import { composerText as text } from '../../text/composer-text.ts';
import { Popover } from '../../ui/dialogs/popover.tsx';
import { IconButton } from '../../ui/elements/icon-button.tsx';
import { Link } from '../../ui/elements/link.tsx';
import { Switch } from '../../ui/forms/switch.tsx';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { useTools } from '../tools/use-tools.ts';
import { useOptions } from './use-options.ts';

/** Whether this chat offers tools, which ones, or why not. */
export function ChatTools({ chat, model }: { chat: string; model: Model | null }) {
  const { query, set } = useOptions(chat);
  const tools = useTools();
  const { failed } = useNotify();
  const groups = offeredIn(tools.data);
  const count = groups.reduce((sum, { names }) => sum + names.length, 0);
  const able = model?.capabilities.includes('tools') ?? false;
  const wanted = query.data?.tools ?? false;
  const offers = able && wanted && count > 0;
  const change = (next: boolean) => {
    if (query.data)
      set.mutate({ ...query.data, tools: next }, { onError: (error) => failed(text.optionsNotKept, error) });
  };
  return (
    <Popover
      title={text.tools}
      trigger={
        <IconButton
          icon={Wrench}
          label={offers ? text.toolsOffered(count) : text.toolsNotOffered}
          className={offers ? 'text-accent!' : ''}
        />
      }
    >
      <div className="flex items-center justify-between gap-3">
        <span>{text.toolsSwitch}</span>
        <Switch label={text.toolsSwitch} checked={able && wanted} disabled={!able || !query.data} onChange={change} />
      </div>
      {!able && <p className="mt-1 text-fg-2 text-xs">{text.toolsUnable(model?.name ?? null)}</p>}
      {able && <p className="mt-1 text-fg-2 text-xs">{text.toolsNote}</p>}
      {count === 0 ? (
        <p className="mt-3 text-fg-2 text-xs">{text.toolsNone}</p>
      ) : (
        <dl className="mt-3 flex flex-col gap-2 text-xs">
          {groups.map(({ server, names }) => (
            <div key={server}>
              <dt className="font-medium">{server}</dt>
              <dd className="text-fg-2 wrap-anywhere">{names.join(', ')}</dd>
            </div>
          ))}
        </dl>
      )}
      <Link to={{ page: 'settings', section: 'tools' }} className="mt-3 inline-block text-accent text-xs">
        {text.toolsSettings}
      </Link>
    </Popover>
  );
}

interface Group {
  readonly server: string;
  readonly names: readonly string[];
}

/** Enabled and trusted tools by server. */
function offeredIn(tools: ReturnType<typeof useTools>['data']): Group[] {
  if (!tools) return [];
  const own = tools.builtIn.filter(({ enabled }) => enabled).map(({ title }) => title);
  const servers = tools.servers.filter(({ enabled, changed }) => enabled && !changed);
  return [
    { server: text.builtInTools, names: own },
    ...servers.map(({ name, tools: theirs }) => ({ server: name, names: theirs.map(({ title }) => title) })),
  ].filter(({ names }) => names.length > 0);
}
