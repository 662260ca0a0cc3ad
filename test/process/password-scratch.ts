import { openScratch } from '../storage/postgres/scratch.ts';
import { addShop } from '../support/password-server.ts';

/** A database on the shared server, and its role `shop`, which needs a password. */
export async function openPasswordScratch(password: string) {
  const scratch = await openScratch();
  await addShop(scratch.server, password);
  const remove = async () => {
    await scratch.remove();
    await scratch.server.sql`DROP ROLE shop`;
  };
  return { ...scratch, remove };
}
