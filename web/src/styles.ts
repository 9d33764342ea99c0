/** The style sheets, once and in the order in which the later ones win. */
import "@mantine/core/styles.css";
import "@mantine/dropzone/styles.css";
import "./app.css";
