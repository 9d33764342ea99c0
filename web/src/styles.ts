/** Style sheets in cascade order. */
import "@mantine/core/styles.css";
import "@mantine/dropzone/styles.css";
import "./app.css";
