/** The list of keyboard shortcuts. */
import "@mantine/core/styles/Table.layer.css";
import { Group, Kbd, Table } from "@mantine/core";
import { Dialog } from "../components/dialog/dialog.tsx";
import { shellMessages } from "../messages.ts";

const { shortcuts: messages } = shellMessages;

export default function ShortcutList({ command, onClose }: { command: string; onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title={messages.title}>
      <Table aria-label={messages.title} withRowBorders={false}>
        <Table.Tbody>
          {messages.list(command).map(([keys, action]) => (
            <Table.Tr key={action}>
              <Table.Th scope="row" fw={400}>
                {action}
              </Table.Th>
              <Table.Td ta="right">
                <Group gap={4} justify="flex-end" wrap="nowrap">
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}
