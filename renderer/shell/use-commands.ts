import {
  Activity,
  Archive,
  ArrowDown,
  ArrowUp,
  Bot,
  CircleUser,
  Keyboard,
  Layers,
  type LucideIcon,
  MessageSquare,
  Moon,
  PanelLeft,
  Search,
  Settings,
  SquarePen,
  Sun,
  Trash2,
  Wallet,
} from 'lucide-react';
import { useConversations, useModels, useUpdateSettings } from '../api/use-core.ts';
import { useMedia, useNarrow } from '../browser/use-media.ts';
import { draftKey, useDrafts } from '../features/drafts/drafts-store.ts';
import { focusComposer, handleOf } from '../handles/handles.ts';
import { newChat, useNav } from '../navigation/nav.ts';
import { useShell } from '../page/shell-state.ts';
import { text } from '../text/shell-text.ts';

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly keys?: string;
  readonly run: () => void;
}

export interface CommandGroup {
  readonly value: string;
  readonly items: readonly Command[];
}

const mostChats = 30;
const mostModels = 20;

/** Actions, pages, chats and models that match the query. */
export function useCommands(query: string): CommandGroup[] {
  const { go } = useNav.getState();
  const { toggle, show } = useShell.getState();
  const narrow = useNarrow();
  const update = useUpdateSettings();
  const conversations = useConversations();
  const models = useModels();
  const chosen = document.documentElement.dataset.theme;
  const systemDark = useMedia('(prefers-color-scheme: dark)');
  const dark = chosen ? chosen === 'dark' : systemDark;
  const start = () => {
    go(newChat);
    focusComposer();
  };
  const groups: CommandGroup[] = [
    {
      value: text.actions,
      items: [
        { id: 'new', label: text.newChat, icon: SquarePen, keys: 'mod+N', run: start },
        { id: 'sidebar', label: text.toggleSidebar, icon: PanelLeft, keys: 'mod+\\', run: () => toggle(narrow) },
        {
          id: 'theme',
          label: dark ? text.light : text.dark,
          icon: dark ? Sun : Moon,
          run: () => update.mutate({ theme: dark ? 'light' : 'dark' }),
        },
        { id: 'keys', label: text.shortcuts, icon: Keyboard, keys: 'mod+/', run: () => show('shortcuts') },
      ],
    },
    {
      value: text.goTo,
      items: [
        {
          id: 'nextChat',
          label: text.nextChat,
          icon: ArrowDown,
          keys: 'Alt+↓',
          run: () => handleOf('chatSteps')?.step(1),
        },
        {
          id: 'previousChat',
          label: text.previousChat,
          icon: ArrowUp,
          keys: 'Alt+↑',
          run: () => handleOf('chatSteps')?.step(-1),
        },
        {
          id: 'chats',
          label: text.searchAll,
          icon: Search,
          keys: 'mod+Shift+F',
          run: () => go({ page: 'chats', view: 'active', query: '' }),
        },
        {
          id: 'archive',
          label: text.archive,
          icon: Archive,
          run: () => go({ page: 'chats', view: 'archived', query: '' }),
        },
        { id: 'trash', label: text.trash, icon: Trash2, run: () => go({ page: 'chats', view: 'trash', query: '' }) },
        { id: 'models', label: text.models, icon: Layers, run: () => go({ page: 'models' }) },
        { id: 'usage', label: text.usage, icon: Activity, run: () => go({ page: 'usage' }) },
        { id: 'credits', label: text.credits, icon: Wallet, run: () => go({ page: 'credits' }) },
        { id: 'account', label: text.account, icon: CircleUser, run: () => go({ page: 'account' }) },
        {
          id: 'settings',
          label: text.settings,
          icon: Settings,
          keys: 'mod+,',
          run: () => go({ page: 'settings', section: null }),
        },
      ],
    },
    {
      value: text.chats,
      items: (conversations.data?.conversations ?? []).map((entry) => ({
        id: entry.id,
        label: entry.title,
        icon: MessageSquare,
        run: () => go({ page: 'chat', conversationId: entry.id }),
      })),
    },
    {
      value: text.models,
      items: (models.data?.models ?? [])
        .filter((model) => model.status === 'available')
        .map((model) => ({
          id: model.id,
          label: text.chatWith(model.name),
          icon: Bot,
          run: () => {
            useDrafts.getState().setModel(draftKey(null), model.id);
            start();
          },
        })),
    },
  ];
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const most = [99, 99, mostChats, words.length > 0 ? mostModels : 5];
  return groups
    .map((group, at) => ({
      ...group,
      items: group.items
        .filter((item) => words.every((word) => item.label.toLowerCase().includes(word)))
        .slice(0, most[at]),
    }))
    .filter((group) => group.items.length > 0);
}
