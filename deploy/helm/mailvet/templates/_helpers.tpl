{{- define "mailvet.name" -}}
{{- $name := contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) }}
{{- $name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "mailvet.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mailvet.labels" -}}
{{ include "mailvet.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "mailvet.secretName" -}}
{{ .Values.secret.existing | default (include "mailvet.name" .) }}
{{- end }}

{{- define "mailvet.secretKeys" -}}
{{- if .Values.secret.existing }}{{ .Values.secret.keys | sortAlpha | toJson }}{{ else }}{{ keys .Values.secret.values | sortAlpha | toJson }}{{ end }}
{{- end }}

{{- define "mailvet.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "mailvet.env" -}}
{{- $own := index .root.Values .role }}
{{- $base := dict "STOP_TIMEOUT_SECONDS" (sub .root.Values.terminationGracePeriodSeconds 8 | toString) }}
{{- $settings := merge (dict "ROLE" .role) $own.settings .root.Values.settings $base }}
{{- range $name, $value := $settings }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- range include "mailvet.secretKeys" .root | fromJsonArray }}
- name: {{ . }}_FILE
  value: /run/secrets/mailvet/{{ . }}
{{- end }}
{{- end }}

{{- define "mailvet.volumeMounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: data, mountPath: /data }
- { name: secrets, mountPath: /run/secrets/mailvet, readOnly: true }
{{- end }}
