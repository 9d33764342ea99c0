/** Mantine's dialog with its styles. Loaded by dialog.tsx. */
import "../../design/mantine-dialog.css";
import { Modal, type ModalProps } from "@mantine/core";

export type DialogProps = Omit<ModalProps, "opened">;

export default function DialogFrame(props: DialogProps) {
  return <Modal opened centered {...props} />;
}
