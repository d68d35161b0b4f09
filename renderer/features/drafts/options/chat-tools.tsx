import { Wrench } from 'lucide-react';
import type { Model } from '#shared/wire/model.ts';
import { lazyView } from '../../../page/lazy-view.tsx';
import { ViewBoundary } from '../../../page/view-boundary.tsx';
import { composerText as text } from '../../../text/composer-text.ts';
import { Popover } from '../../../ui/dialogs/popover.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useTools } from '../../gateways/tools/use-tools.ts';
import { useOptions } from './use-options.ts';

const ToolsPanel = lazyView(() => import('./tools-panel.tsx').then((file) => file.ToolsPanel));

/** Shows whether this chat offers tools and which ones, or why not. */
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
      <ViewBoundary name={text.tools} loading={<SkeletonRows rows={3} label={text.tools} />}>
        <ToolsPanel
          model={model}
          groups={groups}
          checked={able && wanted}
          disabled={!able || !query.data}
          onChange={change}
        />
      </ViewBoundary>
    </Popover>
  );
}

export interface OfferedGroup {
  readonly server: string;
  readonly names: readonly string[];
}

/** Enabled and trusted tools by server. */
function offeredIn(tools: ReturnType<typeof useTools>['data']): OfferedGroup[] {
  if (!tools) return [];
  const own = tools.builtIn.filter(({ enabled }) => enabled).map(({ title }) => title);
  const servers = tools.servers.filter(({ enabled, changed }) => enabled && !changed);
  return [
    { server: text.builtInTools, names: own },
    ...servers.map(({ name, tools: theirs }) => ({ server: name, names: theirs.map(({ title }) => title) })),
  ].filter(({ names }) => names.length > 0);
}
