import type { ToolPermission } from '#shared/contract/app/tools.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import type { PermissionStore } from '../servers/permission-store.ts';
import type { ToolServers } from '../servers/tool-servers.ts';
import type { BuiltInTool } from './built-in-tools.ts';

export interface ToolsDeps extends CoreContext {
  readonly builtIn: readonly BuiltInTool[];
  readonly servers: ToolServers;
  readonly permissions: PermissionStore;
}

const getSetting = (name: string) => `tool/${name}`;

/** Manages the tools. All are off at first, because each offered tool makes every request longer and more expensive. */
export function toolsFeature({ builtIn, servers, permissions, settings, changes }: ToolsDeps) {
  const isOn = async (name: string): Promise<boolean> => (await settings.read(getSetting(name))) === true;

  async function permitted(): Promise<ToolPermission[]> {
    const known = await servers.list();
    return (await permissions.all()).map((row) => ({
      id: row.id,
      serverId: row.server_id,
      serverName: known.find(({ id }) => id === row.server_id)?.name ?? 'Portico',
      tool: row.tool,
      conversationId: row.conversation_id,
      grantedAt: row.granted_at,
    }));
  }

  return {
    isOn,
    async list() {
      const own = await Promise.all(
        builtIn.map(async ({ run: _, asks: __, ...tool }) => ({ ...tool, enabled: await isOn(tool.name) })),
      );
      return { builtIn: own, servers: await servers.list(), permissions: await permitted() };
    },
    async enableBuiltIn({ name, enabled }: { name: string; enabled: boolean }): Promise<void> {
      if (!builtIn.some((tool) => tool.name === name)) throw refusal('not_found', 'noSuchTool', { name });
      await settings.write(getSetting(name), enabled);
      changes.emit('tools');
    },
    async forget({ id }: { id: string }): Promise<void> {
      await permissions.forget(id);
      changes.emit('tools');
    },
    addServer: servers.add,
    changeServer: servers.change,
    removeServer: servers.remove,
    testServer: servers.test,
    enableServer: servers.enable,
    disallowServer: servers.disallow,
    importServers: servers.import,
  };
}
